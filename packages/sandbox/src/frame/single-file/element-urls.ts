/**
 * URLs of the project's files that scripts give to elements and styles. Setters are replaced, so that the
 * right URL is requested at once; a mutation observer finds what parsers and templates have added.
 */

type FindUrl = (url: string) => string | undefined;

/** Attributes that load a file, with the interface whose property reflects them. */
const loadingAttributes: readonly (readonly [interfaceName: string, attribute: string])[] = [
  ['HTMLImageElement', 'src'],
  ['HTMLImageElement', 'srcset'],
  ['HTMLMediaElement', 'src'],
  ['HTMLVideoElement', 'poster'],
  ['HTMLSourceElement', 'src'],
  ['HTMLSourceElement', 'srcset'],
  ['HTMLTrackElement', 'src'],
  ['HTMLScriptElement', 'src'],
  ['HTMLLinkElement', 'href'],
  ['HTMLIFrameElement', 'src'],
  ['HTMLEmbedElement', 'src'],
  ['HTMLObjectElement', 'data'],
  ['HTMLInputElement', 'src'],
];

const selector =
  'img, audio, video, source, track, script, link, iframe, embed, object, input, image, use';
const names = ['src', 'srcset', 'poster', 'href', 'xlink:href', 'data'];

/** Rewrites URLs from now on. `findUrl` returns undefined for URLs that stay. */
export function rewriteElementUrls(findUrl: FindUrl): void {
  const rewrite = (name: string, value: string) =>
    name === 'srcset' ? rewriteSrcset(value, findUrl) : (findUrl(value) ?? value);
  for (const [interfaceName, attribute] of loadingAttributes)
    replaceSetter(interfaceName, attribute, (value) => rewrite(attribute, value));
  replaceArguments(Element.prototype, 'setAttribute', function (args) {
    const [name, value] = args;
    const isLoading = names.includes(String(name).toLowerCase()) && this.matches(selector);
    return isLoading ? [name, rewrite(String(name).toLowerCase(), String(value))] : args;
  });
  const rewriteCssArgument = ([css, ...rest]: unknown[]) => [
    rewriteUrls(String(css), findUrl),
    ...rest,
  ];
  for (const method of ['replace', 'replaceSync', 'insertRule'] as const)
    replaceArguments(CSSStyleSheet.prototype, method, rewriteCssArgument);
  window.Audio = replaceConstructor(window.Audio, (args) =>
    args.map((arg) => (typeof arg === 'string' ? (findUrl(arg) ?? arg) : arg)),
  );
  window.FontFace = replaceConstructor(window.FontFace, ([family, source, ...rest]) => [
    family,
    typeof source === 'string' ? rewriteUrls(source, findUrl) : source,
    ...rest,
  ]);
  observe(rewrite, findUrl);
}

function observe(rewrite: (name: string, value: string) => string, findUrl: FindUrl): void {
  const fix = (element: Element) => {
    const isLoading = element.matches(selector);
    for (const name of isLoading ? [...names, 'style'] : ['style']) {
      const value = element.getAttribute(name);
      if (value === null) continue;
      const next = name === 'style' ? rewriteUrls(value, findUrl) : rewrite(name, value);
      if (next !== value) element.setAttribute(name, next);
    }
    if (!(element instanceof HTMLStyleElement)) return;
    const css = rewriteUrls(element.textContent, findUrl);
    if (css !== element.textContent) element.textContent = css;
  };
  const observer = new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === 'attributes' && target instanceof Element) fix(target);
      if (type === 'childList' && target instanceof HTMLStyleElement) fix(target);
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue;
        fix(node);
        for (const element of node.querySelectorAll('*')) fix(element);
      }
    }
  });
  const options = { childList: true, subtree: true, attributeFilter: [...names, 'style'] };
  // `document.open` keeps the document, and its observers.
  observer.observe(document, options);
}

/** "a.png 1x, b.png 2x" with each URL rewritten */
function rewriteSrcset(set: string, findUrl: FindUrl): string {
  return set.replace(
    /(^|,)(\s*)([^\s,](?:\S*[^\s,])?)/g,
    (_, comma: string, space: string, url: string) => comma + space + (findUrl(url) ?? url),
  );
}

/** `url(a.png)` in CSS with the URL rewritten */
function rewriteUrls(css: string, findUrl: FindUrl): string {
  if (!css.includes('url(')) return css;
  return css.replace(/url\(\s*(["']?)([^"')]+)\1\s*\)/g, (whole, _quote, url: string) => {
    const found = findUrl(url.trim());
    return found === undefined ? whole : `url("${found}")`;
  });
}

function replaceSetter(
  interfaceName: string,
  property: string,
  rewrite: (value: string) => string,
): void {
  const constructor: unknown = Reflect.get(window, interfaceName);
  if (typeof constructor !== 'function') return;
  const prototype: unknown = constructor.prototype;
  if (typeof prototype !== 'object' || prototype === null) return;
  const native = Object.getOwnPropertyDescriptor(prototype, property);
  const set = native?.set;
  if (!native || !set) return;
  Object.defineProperty(prototype, property, {
    ...native,
    set(value: unknown) {
      Reflect.apply(set, this, [rewrite(String(value))]);
    },
  });
}

function replaceArguments<Target extends object>(
  target: Target,
  method: keyof Target & string,
  rewrite: (this: Target, args: unknown[]) => unknown[],
): void {
  const native: unknown = Reflect.get(target, method);
  if (typeof native !== 'function') return;
  const replaced = new Proxy(native, {
    apply: (call, self: Target, args: unknown[]): unknown =>
      Reflect.apply(call, self, rewrite.call(self, args)),
  });
  Reflect.set(target, method, replaced);
}

function replaceConstructor<Constructor extends object>(
  native: Constructor,
  rewrite: (args: unknown[]) => unknown[],
): Constructor {
  return new Proxy(native, {
    construct: (target, args: unknown[], newTarget) =>
      Object(
        typeof target === 'function' ? Reflect.construct(target, rewrite(args), newTarget) : target,
      ),
  });
}
