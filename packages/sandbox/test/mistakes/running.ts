/** Mistakes that show when the project runs. */
import { realPackages } from '../rig/frameworks.ts';
import { lockFile } from '../rig/packages.ts';
import type { Mistake } from './mistake.ts';

/** A page that runs one script. */
function script(text: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    'index.html': '<h1>Hi</h1><script type="module" src="main.js"></script>',
    'main.js': text,
    ...more,
  };
}

function page(body: string, more: Record<string, string> = {}): Record<string, string> {
  return { 'index.html': `<!doctype html>\n${body}`, ...more };
}

export const runningMistakes: readonly Mistake[] = [
  {
    name: 'an undefined name',
    files: script('\n  missing();'),
    location: 'main.js:2:3',
    message: '“missing” is not defined.',
  },
  {
    name: 'a mistyped name of the file',
    files: script('const counter = 1;\nconsole.log(conuter);'),
    location: 'main.js:2:13',
    message: '“conuter” is not defined. Did you mean “counter”?',
    fix: 'Change to counter',
  },
  {
    name: 'a mistyped browser global',
    files: script('docment.title = "Hi";'),
    location: 'main.js:1:1',
    message: '“docment” is not defined. Did you mean “document”?',
    fix: 'Change to document',
  },
  {
    name: 'a Node.js global',
    files: script('const fs = require("fs");'),
    location: 'main.js:1:12',
    message: '“require” is only available in Node.js. Use “import name from "package"” instead.',
  },
  {
    name: 'a name used before its declaration',
    files: script('use();\nconst late = 1;\nfunction use() { return late; }'),
    location: 'main.js:3:18',
    message: '“late” is used before it’s initialized.',
  },
  {
    name: 'a property of undefined',
    files: script('const user = {};\nconsole.log(user.address.city);'),
    location: 'main.js:2:26',
    message: 'Can’t read “city” of “user.address”, which is undefined.',
    firefox: { location: 'main.js:2:13' },
  },
  {
    name: 'setting a property of null',
    files: script('const box = null;\nbox.size = 1;'),
    location: 'main.js:2:10',
    message: 'Can’t set “size” of “box”, which is null.',
    firefox: { location: 'main.js:2:1' },
  },
  {
    name: 'a missing element',
    files: script(`document.querySelector('#go').onclick = run;\nfunction run() {}`),
    location: 'main.js:1:39',
    message:
      "Can’t set “onclick” of “document.querySelector('#go')”, which is null: no element matched “#go” at that point.",
    firefox: { location: 'main.js:1:10' },
  },
  {
    name: 'a missing element in a variable',
    files: script(`const list = document.getElementById('list');\nlist.append('a');`),
    location: 'main.js:2:6',
    message:
      'Can’t read “append” of “list”, which is null: no element had the id “list” at that point.',
    firefox: { location: 'main.js:2:1' },
  },
  {
    name: 'a value that isn’t a function',
    files: script('const count = 1;\ncount();'),
    location: 'main.js:2:1',
    message: '“count” is not a function.',
  },
  {
    name: 'a mistyped method',
    files: script(`document.getElementByID('a');`),
    location: 'main.js:1:10',
    message: '“document.getElementByID” is not a function. Did you mean “getElementById”?',
    fix: 'Change to getElementById',
  },
  {
    name: 'a mistyped method of an element in a variable',
    files: script(`const a = document.querySelector('h1');\na.apendChild(a);`),
    location: 'main.js:2:3',
    message: '“a.apendChild” is not a function. Did you mean “appendChild”?',
    fix: 'Change to appendChild',
  },
  {
    name: 'an array method on a NodeList in a variable',
    files: script(`const all = document.querySelectorAll('p');\nall.map((p) => p.id);`),
    location: 'main.js:2:5',
    message: 'A NodeList has no “map”. Use Array.from(…) or [...list] to get an array first.',
    fix: 'Change to Array.from(all)',
  },
  {
    name: 'an array method on a string',
    files: script(`'a-b'.sort();`),
    location: 'main.js:1:7',
    message: 'A string has no “sort”. Use [...text] or “split” to get an array first.',
    fix: "Change to [...'a-b']",
  },
  {
    name: 'a method of an unknown value',
    files: script(`const f = (o) => o.lenght();\nf({});`),
    location: 'main.js:1:20',
    message: '“o.lenght” is not a function.',
  },
  {
    name: 'an array method on a NodeList',
    files: script(`document.querySelectorAll('p').map((p) => p.id);`),
    location: 'main.js:1:32',
    message: 'A NodeList has no “map”. Use Array.from(…) or [...list] to get an array first.',
    fix: "Change to Array.from(document.querySelectorAll('p'))",
  },
  {
    name: 'a missing semicolon before a parenthesis',
    files: script('const a = 1\n;[1].forEach(Number)\nconst b = a\n(() => {})();'),
    location: 'main.js:3:11',
    message:
      'The “(” on the next line calls “a”, which isn’t a function. Add “;” at the end of this line.',
    firefox: {
      location: 'main.js:4:1',
      message:
        'The “(” on this line calls “a”, which isn’t a function. Add “;” at the end of the previous line.',
    },
  },
  {
    name: 'assigning to a const',
    files: script('const a = 1;\na = 2;'),
    location: 'main.js:2:3',
    message: 'Can’t assign to “a” because it’s a constant.',
    firefox: { location: 'main.js:2:1' },
  },
  {
    name: 'a value that isn’t iterable',
    files: script('const a = 5;\nfor (const b of a) b;'),
    location: 'main.js:2:17',
    message: '“a” isn’t iterable.',
  },
  {
    name: 'looping over an object',
    files: script('for (const size of { a: 1 }) size;'),
    location: 'main.js:1:20',
    message: 'Objects aren’t iterable. Use Object.entries(…) to loop over one.',
  },
  {
    name: 'a value that isn’t a class',
    files: script('const A = () => {};\nnew A();'),
    location: 'main.js:2:1',
    message: '“A” isn’t a constructor.',
  },
  {
    name: 'a class without new',
    files: script('class Bird {}\nBird();'),
    location: 'main.js:2:1',
    message: '“Bird” is a class and must be called with “new”.',
  },
  {
    name: 'infinite recursion',
    files: script('function again() { again(); }\nagain();'),
    location: 'main.js:1:1',
    message: 'Maximum call stack size exceeded: a function keeps calling itself.',
    firefox: { location: 'main.js:1:20' },
  },
  {
    name: 'an invalid array length',
    files: script('new Array(-1);'),
    location: 'main.js:1:1',
    message: 'Invalid array length.',
  },
  {
    name: 'destructuring undefined',
    files: script('function f(options) {\n  const { size } = options;\n}\nf();'),
    location: 'main.js:2:11',
    message: 'Can’t destructure “size” of “options”, which is undefined.',
    firefox: { location: 'main.js:2:20' },
  },
  {
    name: 'invalid JSON',
    files: script(`JSON.parse("{'a': 1}");`),
    location: 'main.js:1:6',
    message:
      'Invalid JSON. Keys and strings need double quotes, and trailing commas aren’t allowed.',
  },
  {
    name: 'a circular structure as JSON',
    files: script('const a = {};\na.a = a;\nJSON.stringify(a);'),
    location: 'main.js:3:6',
    message: 'Can’t convert a circular structure to JSON.',
  },
  {
    name: 'mixing BigInt and number',
    files: script('1n + 1;'),
    location: 'main.js:1:4',
    message: 'Can’t mix BigInt and number. Convert one of them with Number() or BigInt().',
    firefox: { location: 'main.js:1:1' },
  },
  {
    name: 'a frozen object',
    files: script(`const a = Object.freeze({ b: 1 });\na.b = 2;`),
    location: 'main.js:2:5',
    message: '“b” is read-only.',
    firefox: { location: 'main.js:2:1' },
  },
  {
    name: 'adding a property to a frozen object',
    files: script(`const a = Object.freeze({});\na.b = 2;`),
    location: 'main.js:2:5',
    message: 'Can’t add “b”: the object is frozen or sealed.',
    firefox: { location: 'main.js:2:1' },
  },
  {
    name: 'reducing an empty array',
    files: script('[].reduce((a, b) => a + b);'),
    location: 'main.js:1:4',
    message: '“reduce” of an empty array needs an initial value.',
  },
  {
    name: 'an invalid selector',
    files: script(`document.querySelector('##');`),
    location: 'main.js:1:10',
    message: '“##” isn’t a valid selector.',
  },
  {
    name: 'appending a string as a node',
    files: script(`document.body.appendChild('Hi');`),
    location: 'main.js:1:15',
    message: 'Expected a DOM node, such as an element.',
  },
  {
    name: 'an error thrown by user code',
    files: script('function check() {\n  throw new Error("No birds");\n}\ncheck();'),
    location: 'main.js:2:9',
    message: 'No birds',
  },
  {
    name: 'throwing a string',
    files: script('throw "boom";'),
    location: '',
    message: '“boom” was thrown.',
  },
  {
    name: 'an unhandled rejection',
    files: script('async function load() {\n  throw new Error("No seeds");\n}\nload();'),
    location: 'main.js:2:9',
    message: 'Unhandled promise rejection: No seeds',
  },
  {
    name: 'an unhandled rejection with a string',
    files: script('Promise.reject("late");'),
    location: '',
    message: 'Unhandled promise rejection: “late”.',
  },
  {
    name: 'an error in TypeScript',
    files: {
      'index.html': '<script type="module" src="main.ts"></script>',
      'main.ts':
        'interface Bird {\n  name: string;\n}\nconst bird = {} as { mate?: Bird };\nbird.mate!.name;',
    },
    location: 'main.ts:5:12',
    message: 'Can’t read “name” of “bird.mate”, which is undefined.',
    firefox: { location: 'main.ts:5:1' },
  },
  {
    name: 'an error in an inline script',
    files: page('<script>\n  missing();\n</script>'),
    location: 'index.html:3:3',
    message: '“missing” is not defined.',
  },
  {
    name: 'a missing image',
    files: page('<img src="img/cat.svg" alt="">', { 'image/cat.svg': '<svg></svg>' }),
    location: 'index.html:2:11',
    message: 'Can’t find “img/cat.svg”. Did you mean “image/cat.svg”?',
    severity: 'warning',
    fix: 'Change to image/cat.svg',
  },
  {
    name: 'a missing stylesheet',
    files: page('<link rel="stylesheet" href="styles.css">', { 'style.css': '' }),
    location: 'index.html:2:30',
    message: 'Can’t find “styles.css”. Did you mean “style.css”?',
    severity: 'warning',
    fix: 'Change to style.css',
  },
  {
    name: 'a missing image of a stylesheet',
    files: page('<link rel="stylesheet" href="css/a.css"><img src="cat.svg" alt="">', {
      'css/a.css': 'h1 { top: 0 }\nbody { background: url(cat.svg) }',
      'cat.svg': '<svg xmlns="http://www.w3.org/2000/svg" />',
    }),
    location: 'css/a.css:2:24',
    message: 'Can’t find “css/cat.svg”. Did you mean “cat.svg”?',
    severity: 'warning',
    fix: 'Change to ../cat.svg',
  },
  {
    name: 'a missing script',
    files: page('<script src="app.js"></script>'),
    location: 'index.html:2:14',
    message: 'Can’t find “app.js”.',
    fix: 'Create app.js',
  },
  {
    name: 'an image with an empty src',
    files: page('<img src="" alt="">'),
    location: 'index.html:2:1',
    message: 'Empty “src” attribute on <img>.',
    severity: 'warning',
  },
  {
    name: 'an invalid image',
    files: page('<img src="cat.svg" alt="">', { 'cat.svg': 'no picture' }),
    location: 'index.html:2:11',
    message: 'cat.svg isn’t an image the browser can show.',
    severity: 'warning',
  },
  {
    name: 'a request for a missing file',
    files: script(`const answer = await fetch('data.jsn');\nawait answer.text();`, {
      'data.json': '{}',
    }),
    location: 'main.js:1:29',
    message: 'Can’t find “data.jsn”. Did you mean “data.json”?',
    severity: 'warning',
    fix: 'Change to data.json',
  },
  {
    name: 'a request to an unreachable host',
    files: script(`\nawait fetch('http://127.0.0.1:1/data.json');`),
    location: 'main.js:2:7',
    message:
      'The request to 127.0.0.1:1 failed: the host is unreachable or doesn’t allow cross-origin requests (CORS).',
  },
  {
    name: 'a React effect without a function',
    files: {
      ...realPackages('react', 'react-dom'),
      'index.html': '<main></main><script type="module" src="main.jsx"></script>',
      'main.jsx': `import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
const App = () => {
  useEffect();
};
createRoot(document.querySelector('main')).render(<App />);`,
    },
    location: 'main.jsx:4:3',
    message: '“useEffect” needs a function: useEffect(() => { … }, []).',
  },
  {
    name: 'a missing export',
    files: script(`import { Brid } from './birds.js';\nBrid;`, {
      'birds.js': 'export class Bird {}\nexport default [];',
    }),
    location: 'main.js:1:10',
    message: 'birds.js has no export “Brid”. It exports “Bird”, default.',
    fix: 'Change to Bird',
  },
  {
    name: 'braces around a default export',
    files: script(`import { App } from './app.js';\nApp;`, { 'app.js': 'export default 1;' }),
    location: 'main.js:1:10',
    message: 'app.js has no export “App”. It exports default, which is imported without braces.',
    fix: 'Change to App',
  },
  {
    name: 'no braces around a named export',
    files: script(`import App from './app.js';\nApp;`, { 'app.js': 'export const App = 1;' }),
    location: 'main.js:1:8',
    message: 'app.js has no default export. It exports “App”, which is imported with braces.',
    fix: 'Change to import { App } ',
  },
  {
    name: 'a module without exports',
    files: script(`import { a } from './a.js';\na;`, { 'a.js': '' }),
    location: 'main.js:1:10',
    message: 'a.js has no export “a”. It has no exports.',
  },
  {
    name: 'a missing export of a package',
    files: script(`import { absent } from 'tiny-jsx';\nabsent;`, {
      'package-lock.json': lockFile('1.0.0'),
    }),
    location: 'main.js:1:10',
    message: 'tiny-jsx 1.0.0 has no export “absent”.',
  },
  {
    name: 'a package that imports what another one doesn’t export',
    files: script(`import 'tiny-jsx/unlinkable';`, { 'package-lock.json': lockFile('1.0.0') }),
    location: '',
    message:
      'tiny-part/sub of tiny-part 2.0.0 has no export “absent”, which tiny-jsx 1.0.0 imports.',
  },
  {
    name: 'importing invalid JSON',
    files: script(`import data from './data.json';\ndata;`, { 'data.json': '{\n  "a": 1,\n}' }),
    location: 'data.json:3:1',
    message: 'Trailing “,” before “}” isn’t allowed in JSON.',
  },
  {
    name: 'an error in a cross-origin script',
    files: script(
      `dispatchEvent(new ErrorEvent('error', { message: 'Script error.', error: null }));`,
    ),
    location: '',
    message: 'A cross-origin script failed. The browser doesn’t report where.',
  },
  {
    name: 'an error in a worker',
    files: script(`new Worker('counting.js').postMessage(1);`, {
      'counting.js': 'onmessage = () => {\n  missing();\n};',
    }),
    location: 'counting.js:2:3',
    message: '“missing” is not defined.',
  },
  {
    name: 'registering a service worker',
    files: script(`\n  await navigator.serviceWorker.register('/offline.js');`, {
      'offline.js': '',
    }),
    location: '',
    message: 'Projects can’t register service workers.',
  },
  {
    name: 'throwing undefined',
    files: script('setTimeout(() => {\n  throw undefined;\n});'),
    location: 'main.js:2:3',
    message: 'undefined was thrown.',
  },
  {
    name: 'a skipped view transition, which isn’t reported',
    files: script(
      `addEventListener('unhandledrejection', () => setTimeout(() => missing()), { once: true });
document.startViewTransition(() => {});
document.startViewTransition(() => {});`,
    ),
    location: 'main.js:1:63',
    message: '“missing” is not defined.',
  },
  {
    name: 'a ResizeObserver loop, which isn’t reported',
    files: script(
      `let height = 1;
const box = document.querySelector('h1');
new ResizeObserver(() => height < 9 && (box.style.height = ++height + 'px')).observe(box);
addEventListener('error', () => setTimeout(() => missing()), { once: true });`,
    ),
    location: 'main.js:4:50',
    message: '“missing” is not defined.',
  },
];
