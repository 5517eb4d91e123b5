/** Messages for errors of web APIs: requests, modules, elements, storage, media. */
import type { ErrorContext } from './error-context.ts';
import type { ErrorRule } from './error-messages.ts';

export const webApiErrorRules: readonly ErrorRule[] = [
  [
    /^TypeError: (?:Failed to fetch dynamically imported module|error loading dynamically imported module): (\S+)/,
    ([, address = '']) =>
      navigator.onLine
        ? `${fileNameOf(address)} failed to load: the file or one of its imports is missing.`
        : `${fileNameOf(address)} failed to load: you’re offline.`,
  ],
  [
    /^TypeError: (?:Failed to fetch$|NetworkError when attempting to fetch|Load failed)/,
    (_, around) => explainFailedRequest(around),
  ],
  [
    /^TypeError: (?:Failed to execute 'fetch' on 'Window': Failed to parse|Window\.fetch: .* is not a valid URL)/,
    () => '“fetch” needs a valid URL.',
  ],
  [
    /^TypeError: (?:Failed to construct 'URL'|URL constructor: .* is not a valid URL)/,
    () => 'Invalid URL. Use an absolute URL or pass a base: new URL(url, location.href).',
  ],
  [
    /^TypeError: (?:Failed to resolve module specifier ["'](.+?)["']|(?:The|Error resolving module) specifier “(.+?)”)/,
    ([, a, b]) =>
      `Can’t resolve “${a ?? b}”. It isn’t an installed package, and relative paths start with “./”.`,
  ],
  [/The provided selector is empty|'' is not a valid selector/, () => 'The selector is empty.'],
  [/'([^']*)' is not a valid selector/, ([, selector]) => `“${selector}” isn’t a valid selector.`],
  [
    /(?:appendChild|insertBefore|append|replaceChild|Node\.\w+)\W[\s\S]*(?:parameter 1 is not of type 'Node'|Argument 1 is not an object|does not implement interface Node)/,
    () => 'Expected a DOM node, such as an element.',
  ],
  [
    /^NotFoundError: [\s\S]*(?:removeChild|insertBefore|replaceChild|child of this node)/,
    () => 'The node to remove, replace, or insert before isn’t a child of this node.',
  ],
  [
    /^HierarchyRequestError: /,
    () => 'An element can’t be inserted into itself or where the DOM doesn’t allow it.',
  ],
  [
    /^InvalidCharacterError: .*DOMTokenList/,
    () => 'Class names can’t contain spaces. Pass each name separately.',
  ],
  [/^SyntaxError: .*DOMTokenList/, () => 'Class names can’t be empty.'],
  [/^InvalidCharacterError: .*createElement/, () => 'Invalid element name.'],
  [/^InvalidCharacterError: .*ttribute/, () => 'Invalid attribute name.'],
  [/^InvalidCharacterError: /, () => 'This contains an invalid character.'],
  [
    /^SyntaxError: .*["'](.*)["'] is not a valid custom element name/,
    ([, name]) =>
      `“${name}” isn’t a valid custom element name. It needs a hyphen, as in “my-clock”.`,
  ],
  [
    /^NotSupportedError: .*["'](.*)["'] has already been (?:used with this registry|defined as a custom element)/,
    ([, name]) => `The custom element “${name}” is already defined.`,
  ],
  [
    /^QuotaExceededError: .*getRandomValues/,
    () => 'getRandomValues() returns at most 65,536 bytes at once.',
  ],
  [/^QuotaExceededError: /, () => 'The page’s storage quota has been exceeded.'],
  [
    /^DataCloneError: /,
    () => 'This value can’t be cloned. Functions, DOM nodes, and promises can’t be copied or sent.',
  ],
  [
    /^NotAllowedError: (?:play\(\)|The play method)/,
    () => 'Media can’t play until someone has interacted with the page.',
  ],
  [
    /^NotSupportedError: (?:.*no supported source|The media resource)/,
    () => 'The media can’t be played. The file is missing, or its format isn’t supported.',
  ],
  [
    /^NotAllowedError: /,
    () =>
      'The browser doesn’t allow this here, or only after someone has interacted with the page.',
  ],
  [/^AbortError: /, () => 'The operation was aborted.'],
  [/^TimeoutError: /, () => 'The operation timed out.'],
  [
    /^\w+: Failed to register(?:\/update)? a ServiceWorker/,
    () => 'Projects can’t register service workers.',
  ],
  [/^SecurityError: /, () => 'The browser doesn’t allow this here.'],
  [
    /^TypeError: (?:Failed to (?:execute|construct) '(\w+)'.*?: |(?:\w+\.)?(\w+)(?: constructor)?: (?:At least )?)(\d+) arguments? required, but only (\d+) (?:present|passed)/,
    ([, a, b, required, given]) =>
      `“${a ?? b}” requires ${required === '1' ? '1 argument' : `${required} arguments`}, but got ${given}.`,
  ],
  [
    /^\w+: Failed to (?:execute|construct|set the|read the) '(\w+)'[^:]*: ([\s\S]+)$/,
    ([, name, why]) => `“${name}” failed: ${why}`,
  ],
  [
    /^(?:TypeError|\w+Error): (?:[A-Z]\w+\.)(\w+): ([\s\S]+)$/,
    ([, name, why = '']) => `“${name}” failed: ${why.replace(/\.?$/, '.')}`,
  ],
];

function explainFailedRequest({ before, after }: ErrorContext): string {
  const address = /https?:\/\/[^\s"'`)]+/.exec(before.slice(-200) + after)?.[0];
  const host = address === undefined ? undefined : hostOf(address);
  return host === undefined
    ? 'A request failed: the host is unreachable or doesn’t allow cross-origin requests (CORS).'
    : `The request to ${host} failed: the host is unreachable or doesn’t allow cross-origin requests (CORS).`;
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

function fileNameOf(address: string): string {
  return decodeURI(/[^/]*$/.exec(address.replace(/[?#].*$/, ''))?.[0] ?? address);
}
