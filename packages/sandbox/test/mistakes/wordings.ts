/** Error messages of Chromium 156 and Firefox ESR 153 for a line of code, and the expected explanation. */
export const wordings = [
  {
    source: 'let o = {}; o.go()',
    chromium: 'TypeError: o.go is not a function',
    firefox: 'TypeError: o.go is not a function',
    sentence: '“o.go” is not a function.',
  },
  {
    source: 'let a = 1; a()',
    chromium: 'TypeError: a is not a function',
    firefox: 'TypeError: a is not a function',
    sentence: '“a” is not a function.',
  },
  {
    source: 'document.body.appendChildd(1)',
    chromium: 'TypeError: document.body.appendChildd is not a function',
    firefox: 'TypeError: document.body.appendChildd is not a function',
    sentence: '“document.body.appendChildd” is not a function.',
  },
  {
    source: '[].map(1)',
    chromium: 'TypeError: number 1 is not a function',
    firefox: 'TypeError: 1 is not a function',
    sentence: '“1” is not a function.',
  },
  {
    source: '[1].forEach({})',
    chromium: 'TypeError: object is not a function',
    firefox: 'TypeError: ({}) is not a function',
    sentence: 'Expected a function.',
  },
  {
    source: '"x".foo()',
    chromium: 'TypeError: "x".foo is not a function',
    firefox: 'TypeError: "x".foo is not a function',
    sentence: '“"x".foo” is not a function.',
  },
  {
    source: 'new (class A { go() { this.b() } })().go()',
    chromium: 'TypeError: this.b is not a function',
    firefox: 'TypeError: this.b is not a function',
    sentence: '“this.b” is not a function.',
  },
  {
    source: 'let [a] = undefined',
    chromium: 'TypeError: undefined is not iterable',
    firefox: "TypeError: can't access property Symbol.iterator of undefined",
    sentence: '“undefined” isn’t iterable.',
  },
  {
    source: 'let o; let [a] = o',
    chromium: 'TypeError: o is not iterable',
    firefox: "TypeError: can't access property Symbol.iterator, o is undefined",
    sentence: '“o” isn’t iterable.',
  },
  {
    source: 'for (const [k, v] of {a: 1});',
    chromium: 'TypeError: {(intermediate value)} is not iterable',
    firefox: 'TypeError: ({a:1}) is not iterable',
    sentence: 'Objects aren’t iterable. Use Object.entries(…) to loop over one.',
  },
  {
    source: 'let u; for (const x of u);',
    chromium: 'TypeError: u is not iterable',
    firefox: "TypeError: can't access property Symbol.iterator, u is undefined",
    sentence: '“u” isn’t iterable.',
  },
  {
    source: '[...5]',
    chromium: 'TypeError: 5 is not iterable',
    firefox: 'TypeError: 5 is not iterable',
    sentence: '“5” isn’t iterable.',
  },
  {
    source: 'new Map([1])',
    chromium: 'TypeError: Iterator value 1 is not an entry object',
    firefox: 'TypeError: iterable for Map should have array-like objects',
    sentence: 'Expected an array of pairs: [[key, value], [key, value]].',
  },
  {
    source: 'let n = {...null}; new n()',
    chromium: 'TypeError: n is not a constructor',
    firefox: 'TypeError: n is not a constructor',
    sentence: '“n” isn’t a constructor.',
  },
  {
    source: 'new Date(NaN).toISOString()',
    chromium: 'RangeError: Invalid time value',
    firefox: 'RangeError: invalid date',
    sentence: 'Invalid date.',
  },
  {
    source: '(1).toFixed(101)',
    chromium: 'RangeError: toFixed() digits argument must be between 0 and 100',
    firefox: 'RangeError: precision 101 out of range',
    sentence: 'The number of digits or the radix is out of range.',
  },
  {
    source: '"a".repeat(-1)',
    chromium: 'RangeError: Invalid count value: -1',
    firefox: 'RangeError: repeat count must be non-negative',
    sentence: 'A string can’t be repeated a negative or infinite number of times.',
  },
  {
    source: '"a".repeat(1e10)',
    chromium: 'RangeError: Invalid string length',
    firefox:
      'RangeError: repeat count must be less than infinity and not overflow maximum string size',
    sentence: 'The string exceeds the browser’s maximum length.',
  },
  {
    source: 'JSON.parse("")',
    chromium: 'SyntaxError: Unexpected end of JSON input',
    firefox: 'SyntaxError: JSON.parse: unexpected end of data at line 1 column 1 of the JSON data',
    sentence: 'Unexpected end of JSON.',
  },
  {
    source: 'JSON.parse(\'{"a":1,}\')',
    chromium:
      'SyntaxError: Expected double-quoted property name in JSON at position 7 (line 1 column 8)',
    firefox:
      'SyntaxError: JSON.parse: expected double-quoted property name at line 1 column 8 of the JSON data',
    sentence:
      'Invalid JSON. Keys and strings need double quotes, and trailing commas aren’t allowed.',
  },
  {
    source: '1n * 2',
    chromium: 'TypeError: Cannot mix BigInt and other types, use explicit conversions',
    firefox: "TypeError: can't convert BigInt to number",
    sentence: 'Can’t mix BigInt and number. Convert one of them with Number() or BigInt().',
  },
  {
    source: 'BigInt(1.5)',
    chromium:
      'RangeError: The number 1.5 cannot be converted to a BigInt because it is not an integer',
    firefox: "RangeError: 1.5 can't be converted to BigInt because it isn't an integer",
    sentence: 'Only an integer can be converted to a BigInt.',
  },
  {
    source: 'Number(Symbol())',
    chromium: 'TypeError: Cannot convert a Symbol value to a number',
    firefox: "TypeError: can't convert symbol to number",
    sentence: 'Can’t convert a symbol to a number.',
  },
  {
    source: '`${Symbol()}`',
    chromium: 'TypeError: Cannot convert a Symbol value to a string',
    firefox: "TypeError: can't convert symbol to string",
    sentence: 'Can’t convert a symbol to a string implicitly. Use String(symbol).',
  },
  {
    source: 'Object.keys(null)',
    chromium: 'TypeError: Cannot convert undefined or null to object',
    firefox: "TypeError: can't convert null to object",
    sentence: 'Expected an object but got undefined or null.',
  },
  {
    source: '"abc".x = 1',
    chromium: "TypeError: Cannot create property 'x' on string 'abc'",
    firefox: 'TypeError: can\'t assign to property "x" on "abc": not an object',
    sentence: 'Can’t set “x” on a string, number, or boolean.',
  },
  {
    source: '"abc".length = 1',
    chromium: "TypeError: Cannot assign to read only property 'length' of string 'abc'",
    firefox: 'TypeError: "length" is read-only',
    sentence: '“length” is read-only.',
  },
  {
    source: '({ get a() { return 1 } }).a = 2',
    chromium: 'TypeError: Cannot set property a of #<Object> which has only a getter',
    firefox: 'TypeError: setting getter-only property "a"',
    sentence: 'Can’t set “a”: it only has a getter.',
  },
  {
    source: 'delete Object.freeze({a:1}).a',
    chromium: "TypeError: Cannot delete property 'a' of #<Object>",
    firefox: 'TypeError: property "a" is non-configurable and can\'t be deleted',
    sentence: 'Can’t delete “a”: the object is frozen or sealed.',
  },
  {
    source: '1 instanceof 2',
    chromium: "TypeError: Right-hand side of 'instanceof' is not an object",
    firefox: "TypeError: invalid 'instanceof' operand 2",
    sentence: 'The right-hand side of “instanceof” isn’t a class.',
  },
  {
    source: '"a" in "b"',
    chromium: "TypeError: Cannot use 'in' operator to search for 'a' in b",
    firefox: 'TypeError: cannot use \'in\' operator to search for "a" in "b"',
    sentence: 'The right-hand side of “in” isn’t an object.',
  },
  {
    source: 'await import("./nope.js")',
    chromium: "TypeError: Failed to resolve module specifier './nope.js'",
    firefox: 'TypeError: Error resolving module specifier “./nope.js”.',
    sentence:
      'Can’t resolve “./nope.js”. It isn’t an installed package, and relative paths start with “./”.',
  },
  {
    source: 'await import("nope")',
    chromium: "TypeError: Failed to resolve module specifier 'nope'",
    firefox:
      'TypeError: The specifier “nope” was a bare specifier, but was not remapped to anything. Relative module specifiers must start with “./”, “../” or “/”.',
    sentence:
      'Can’t resolve “nope”. It isn’t an installed package, and relative paths start with “./”.',
  },
  {
    source: 'await fetch("http://127.0.0.1:1/")',
    chromium: 'TypeError: Failed to fetch',
    firefox: 'TypeError: NetworkError when attempting to fetch resource.',
    sentence:
      'The request to 127.0.0.1:1 failed: the host is unreachable or doesn’t allow cross-origin requests (CORS).',
  },
  {
    source: 'await fetch("http://")',
    chromium: "TypeError: Failed to execute 'fetch' on 'Window': Failed to parse URL from http://",
    firefox: 'TypeError: Window.fetch: http:// is not a valid URL.',
    sentence: '“fetch” needs a valid URL.',
  },
  {
    source: 'document.querySelector("")',
    chromium:
      "SyntaxError: Failed to execute 'querySelector' on 'Document': The provided selector is empty.",
    firefox: "SyntaxError: Document.querySelector: '' is not a valid selector",
    sentence: 'The selector is empty.',
  },
  {
    source: 'document.querySelectorAll("a[")',
    chromium:
      "SyntaxError: Failed to execute 'querySelectorAll' on 'Document': 'a[' is not a valid selector.",
    firefox: "SyntaxError: Document.querySelectorAll: 'a[' is not a valid selector",
    sentence: '“a[” isn’t a valid selector.',
  },
  {
    source: 'document.body.appendChild(null)',
    chromium:
      "TypeError: Failed to execute 'appendChild' on 'Node': parameter 1 is not of type 'Node'.",
    firefox: 'TypeError: Node.appendChild: Argument 1 is not an object.',
    sentence: 'Expected a DOM node, such as an element.',
  },
  {
    source: 'document.body.removeChild(document.createElement("p"))',
    chromium:
      "NotFoundError: Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node.",
    firefox: 'NotFoundError: Node.removeChild: The node to be removed is not a child of this node',
    sentence: 'The node to remove, replace, or insert before isn’t a child of this node.',
  },
  {
    source: 'document.querySelector("#a").appendChild(document.body)',
    chromium:
      "HierarchyRequestError: Failed to execute 'appendChild' on 'Node': The new child element contains the parent.",
    firefox: 'HierarchyRequestError: Node.appendChild: The new child is an ancestor of the parent',
    sentence: 'An element can’t be inserted into itself or where the DOM doesn’t allow it.',
  },
  {
    source: 'document.createElement("1")',
    chromium:
      "InvalidCharacterError: Failed to execute 'createElement' on 'Document': The tag name provided ('1') is not a valid name.",
    firefox: 'InvalidCharacterError: Document.createElement: Invalid element name',
    sentence: 'Invalid element name.',
  },
  {
    source: 'document.body.setAttribute("1 x", 1)',
    chromium:
      "InvalidCharacterError: Failed to execute 'setAttribute' on 'Element': '1 x' is not a valid attribute name.",
    firefox: 'InvalidCharacterError: Element.setAttribute: Invalid attribute name',
    sentence: 'Invalid attribute name.',
  },
  {
    source: 'document.body.classList.add("a b")',
    chromium:
      "InvalidCharacterError: Failed to execute 'add' on 'DOMTokenList': The token provided ('a b') contains HTML space characters, which are not valid in tokens.",
    firefox: 'InvalidCharacterError: DOMTokenList.add: The token can not contain whitespace.',
    sentence: 'Class names can’t contain spaces. Pass each name separately.',
  },
  {
    source: 'document.body.classList.add("")',
    chromium:
      "SyntaxError: Failed to execute 'add' on 'DOMTokenList': The token provided must not be empty.",
    firefox: 'SyntaxError: DOMTokenList.add: The empty string is not a valid token.',
    sentence: 'Class names can’t be empty.',
  },
  {
    source: 'localStorage.setItem("a", "x".repeat(2e7))',
    chromium:
      "QuotaExceededError: Failed to execute 'setItem' on 'Storage': Setting the value of 'a' exceeded the quota.",
    firefox: 'QuotaExceededError: The quota has been exceeded.',
    sentence: 'The page’s storage quota has been exceeded.',
  },
  {
    source: 'await new Audio("/nope").play()',
    chromium: 'NotSupportedError: Failed to load because no supported source was found.',
    firefox:
      'NotSupportedError: The media resource indicated by the src attribute or assigned media provider object was not suitable.',
    sentence: 'The media can’t be played. The file is missing, or its format isn’t supported.',
  },
  {
    source: 'AbortSignal.abort().throwIfAborted()',
    chromium: 'AbortError: signal is aborted without reason',
    firefox: 'AbortError: The operation was aborted.',
    sentence: 'The operation was aborted.',
  },
  {
    source:
      'AbortSignal.timeout(0), await new Promise((r, j) => { const s = AbortSignal.timeout(1); s.onabort = () => j(s.reason) })',
    chromium: 'TimeoutError: signal timed out',
    firefox: 'TimeoutError: The operation timed out.',
    sentence: 'The operation timed out.',
  },
  {
    source: 'new URL("nope")',
    chromium: "TypeError: Failed to construct 'URL': Invalid URL",
    firefox: 'TypeError: URL constructor: nope is not a valid URL.',
    sentence: 'Invalid URL. Use an absolute URL or pass a base: new URL(url, location.href).',
  },
  {
    source: 'structuredClone(() => {})',
    chromium:
      "DataCloneError: Failed to execute 'structuredClone' on 'Window': () => {} could not be cloned.",
    firefox: 'DataCloneError: Function object could not be cloned.',
    sentence:
      'This value can’t be cloned. Functions, DOM nodes, and promises can’t be copied or sent.',
  },
  {
    source: 'decodeURIComponent("%")',
    chromium: 'URIError: URI malformed',
    firefox: 'URIError: malformed URI sequence',
    sentence: 'Malformed URI: it contains a stray “%” or half of a surrogate pair.',
  },
  {
    source: 'new Intl.NumberFormat("xx-yy-zz-1")',
    chromium: 'RangeError: Invalid language tag: xx-yy-zz-1',
    firefox: 'RangeError: invalid language tag: "xx-yy-zz-1"',
    sentence: '“xx-yy-zz-1” isn’t a valid language tag. Use one like “en” or “pt-BR”.',
  },
  {
    source: 'new Intl.NumberFormat("en", { style: "currency" })',
    chromium: 'TypeError: Currency code is required with currency style.',
    firefox: 'TypeError: undefined currency in NumberFormat() with currency style',
    sentence: 'The currency style needs a currency code: { style: "currency", currency: "EUR" }.',
  },
  {
    source: '"a".localeCompare("b", "xx_yy")',
    chromium: 'RangeError: Invalid language tag: xx_yy',
    firefox: 'RangeError: invalid language tag: "xx_yy"',
    sentence: '“xx_yy” isn’t a valid language tag. Use one like “en” or “pt-BR”.',
  },
  {
    source: 'Reflect.construct(1)',
    chromium: 'TypeError: 1 is not a constructor',
    firefox: 'TypeError: 1 is not a constructor',
    sentence: '“1” isn’t a constructor.',
  },
  {
    source: 'class A extends null { }; new A()',
    chromium: 'TypeError: Super constructor null of A is not a constructor',
    firefox: 'TypeError: super is not a constructor',
    sentence:
      'This class extends a value that isn’t a class. A circular import may have left it uninitialized.',
  },
  {
    source: 'class A {}; class B extends A { constructor() { } }; new B()',
    chromium:
      "ReferenceError: Must call super constructor in derived class before accessing 'this' or returning from derived constructor",
    firefox:
      "ReferenceError: must call super constructor before using 'this' in derived class constructor",
    sentence: 'A derived class must call “super()” before using “this”.',
  },
  {
    source: 'new Uint8Array(-1)',
    chromium: 'RangeError: Invalid typed array length: -1',
    firefox: 'RangeError: invalid array length',
    sentence: 'Invalid array length.',
  },
  {
    source: 'Promise()',
    chromium: "TypeError: Promise constructor cannot be invoked without 'new'",
    firefox: 'TypeError: calling a builtin Promise constructor without new is forbidden',
    sentence: '“Promise” is a class and must be called with “new”.',
  },
  {
    source: 'new Symbol()',
    chromium: 'TypeError: Symbol is not a constructor',
    firefox: 'TypeError: Symbol is not a constructor',
    sentence: '“Symbol” isn’t a constructor.',
  },
  {
    source: 'null[Symbol.iterator]',
    chromium:
      'TypeError: object null is not iterable (cannot read property Symbol(Symbol.iterator))',
    firefox: "TypeError: can't access property Symbol.iterator of null",
    sentence: '“null” isn’t iterable.',
  },
  {
    source: 'undefined()',
    chromium: 'TypeError: undefined is not a function',
    firefox: 'TypeError: undefined is not a function',
    sentence: '“undefined” is not a function.',
  },
  {
    source: 'typeof q; q',
    chromium: 'ReferenceError: q is not defined',
    firefox: 'ReferenceError: q is not defined',
    sentence: '“q” is not defined.',
  },
  {
    source: 'x = y',
    chromium: 'ReferenceError: y is not defined',
    firefox: 'ReferenceError: y is not defined',
    sentence: '“y” is not defined.',
  },
  {
    source: 'zz = 1',
    chromium: 'ReferenceError: zz is not defined',
    firefox: 'ReferenceError: assignment to undeclared variable zz',
    sentence: '“zz” is not defined.',
  },
  {
    source: 'crypto.getRandomValues(new Uint8Array(70000))',
    chromium:
      "QuotaExceededError: Failed to execute 'getRandomValues' on 'Crypto': The ArrayBufferView's byte length (70000) exceeds the number of bytes of entropy available via this API (65536).",
    firefox:
      'QuotaExceededError: Crypto.getRandomValues: getRandomValues can only generate maximum 65536 bytes',
    sentence: 'getRandomValues() returns at most 65,536 bytes at once.',
  },
  {
    source: 'customElements.define("x", class extends HTMLElement {})',
    chromium:
      "SyntaxError: Failed to execute 'define' on 'CustomElementRegistry': \"x\" is not a valid custom element name",
    firefox: "SyntaxError: CustomElementRegistry.define: 'x' is not a valid custom element name",
    sentence: '“x” isn’t a valid custom element name. It needs a hyphen, as in “my-clock”.',
  },
  {
    source:
      'customElements.define("x-a", class extends HTMLElement {}); customElements.define("x-a", class extends HTMLElement {})',
    chromium:
      "NotSupportedError: Failed to execute 'define' on 'CustomElementRegistry': the name \"x-a\" has already been used with this registry",
    firefox:
      "NotSupportedError: CustomElementRegistry.define: 'x-a' has already been defined as a custom element",
    sentence: 'The custom element “x-a” is already defined.',
  },
  {
    source: 'new IntersectionObserver()',
    chromium:
      "TypeError: Failed to construct 'IntersectionObserver': 1 argument required, but only 0 present.",
    firefox:
      'TypeError: IntersectionObserver constructor: At least 1 argument required, but only 0 passed',
    sentence: '“IntersectionObserver” requires 1 argument, but got 0.',
  },
  {
    source: 'setTimeout()',
    chromium:
      "TypeError: Failed to execute 'setTimeout' on 'Window': 1 argument required, but only 0 present.",
    firefox: 'TypeError: Window.setTimeout: At least 1 argument required, but only 0 passed',
    sentence: '“setTimeout” requires 1 argument, but got 0.',
  },
  {
    source: 'requestAnimationFrame()',
    chromium:
      "TypeError: Failed to execute 'requestAnimationFrame' on 'Window': 1 argument required, but only 0 present.",
    firefox:
      'TypeError: Window.requestAnimationFrame: At least 1 argument required, but only 0 passed',
    sentence: '“requestAnimationFrame” requires 1 argument, but got 0.',
  },
  {
    source: 'document.body.addEventListener("click")',
    chromium:
      "TypeError: Failed to execute 'addEventListener' on 'EventTarget': 2 arguments required, but only 1 present.",
    firefox:
      'TypeError: EventTarget.addEventListener: At least 2 arguments required, but only 1 passed',
    sentence: '“addEventListener” requires 2 arguments, but got 1.',
  },
] as const;
