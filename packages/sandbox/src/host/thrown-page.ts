/** Words for what a page's own interface refuses: requests, modules, elements, storage, sound. */
import type { Around } from './thrown-place.ts';
import type { Rule } from './thrown-words.ts';

export const pageRules: readonly Rule[] = [
  [
    /^TypeError: (?:Failed to fetch dynamically imported module|error loading dynamically imported module): (\S+)/,
    ([, address = '']) =>
      navigator.onLine
        ? `${lastOf(address)} could not be imported: it is not there, or something that it imports is not.`
        : `${lastOf(address)} could not be loaded: you’re offline.`,
  ],
  [
    /^TypeError: (?:Failed to fetch$|NetworkError when attempting to fetch|Load failed)/,
    (_, around) => wordNoAnswer(around),
  ],
  [
    /^TypeError: (?:Failed to execute 'fetch' on 'Window': Failed to parse|Window\.fetch: .* is not a valid URL)/,
    () => 'This is no address that “fetch” can ask for.',
  ],
  [
    /^TypeError: (?:Failed to construct 'URL'|URL constructor: .* is not a valid URL)/,
    () =>
      'This is no whole address. One begins with “https://”, or is told where it begins: new URL(address, location.href).',
  ],
  [
    /^TypeError: (?:Failed to resolve module specifier ["'](.+?)["']|(?:The|Error resolving module) specifier “(.+?)”)/,
    ([, a, b]) =>
      `“${a ?? b}” is no package of this project, and no path: a path begins with “./”.`,
  ],
  [/The provided selector is empty|'' is not a valid selector/, () => 'The selector is empty.'],
  [/'([^']*)' is not a valid selector/, ([, selector]) => `“${selector}” is no selector.`],
  [
    /(?:appendChild|insertBefore|append|replaceChild|Node\.\w+)\W[\s\S]*(?:parameter 1 is not of type 'Node'|Argument 1 is not an object|does not implement interface Node)/,
    () => 'Only an element or another node can be put into the page here, and this is none.',
  ],
  [
    /^NotFoundError: [\s\S]*(?:removeChild|insertBefore|replaceChild|child of this node)/,
    () => 'This node is no child of the one that it is to be taken from, or put before.',
  ],
  [
    /^HierarchyRequestError: /,
    () => 'An element cannot be put into itself, or where the page does not allow it.',
  ],
  [
    /^InvalidCharacterError: .*DOMTokenList/,
    () => 'A class name has no space in it: give each name by itself.',
  ],
  [/^SyntaxError: .*DOMTokenList/, () => 'A class name cannot be empty.'],
  [/^InvalidCharacterError: .*createElement/, () => 'No element can have this name.'],
  [/^InvalidCharacterError: .*ttribute/, () => 'No attribute can have this name.'],
  [/^InvalidCharacterError: /, () => 'This has a character in it that is not allowed here.'],
  [
    /^SyntaxError: .*["'](.*)["'] is not a valid custom element name/,
    ([, name]) => `“${name}” cannot name a custom element: it needs a hyphen, as in “my-clock”.`,
  ],
  [
    /^NotSupportedError: .*["'](.*)["'] has already been (?:used with this registry|defined as a custom element)/,
    ([, name]) => `The element “${name}” is defined twice.`,
  ],
  [
    /^QuotaExceededError: .*getRandomValues/,
    () => 'At most 65,536 random bytes can be had at once.',
  ],
  [/^QuotaExceededError: /, () => 'There is no room left for this in the page’s storage.'],
  [
    /^DataCloneError: /,
    () => 'This cannot be copied or sent: plain data can, but no function, element or promise.',
  ],
  [
    /^NotAllowedError: (?:play\(\)|The play method)/,
    () => 'Sound plays only once somebody has clicked in the page.',
  ],
  [
    /^NotSupportedError: (?:.*no supported source|The media resource)/,
    () =>
      'This sound or video cannot be played: it is not there, or the browser does not know its format.',
  ],
  [
    /^NotAllowedError: /,
    () => 'The browser does not allow this here, or only once somebody has clicked in the page.',
  ],
  [/^AbortError: /, () => 'This was called off before it was done.'],
  [/^TimeoutError: /, () => 'This took longer than it was allowed to.'],
  [
    /^\w+: Failed to register(?:\/update)? a ServiceWorker/,
    () => 'A project has no service worker of its own here.',
  ],
  [/^SecurityError: /, () => 'The browser does not allow this here.'],
  [
    /^TypeError: (?:Failed to (?:execute|construct) '(\w+)'.*?: |(?:\w+\.)?(\w+)(?: constructor)?: (?:At least )?)(\d+) arguments? required, but only (\d+) (?:present|passed)/,
    ([, a, b, wanted, given]) =>
      `“${a ?? b}” needs ${wanted === '1' ? '1 argument' : `${wanted} arguments`}, and is given ${given === '0' ? 'none' : given}.`,
  ],
  [
    /^\w+: Failed to (?:execute|construct|set the|read the) '(\w+)'[^:]*: ([\s\S]+)$/,
    ([, name, why]) => `“${name}” refuses this: ${why}`,
  ],
  [
    /^(?:TypeError|\w+Error): (?:[A-Z]\w+\.)(\w+): ([\s\S]+)$/,
    ([, name, why = '']) => `“${name}” refuses this: ${why.replace(/\.?$/, '.')}`,
  ],
];

function wordNoAnswer({ before, after }: Around): string {
  const address = /https?:\/\/[^\s"'`)]+/.exec(before.slice(-200) + after)?.[0];
  const host = address === undefined ? undefined : hostOf(address);
  return host === undefined
    ? 'A request got no answer: its host is out of reach, or does not let other pages read it (CORS).'
    : `${host} gave no answer: it is out of reach, or does not let other pages read it (CORS).`;
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

function lastOf(address: string): string {
  return decodeURI(/[^/]*$/.exec(address.replace(/[?#].*$/, ''))?.[0] ?? address);
}
