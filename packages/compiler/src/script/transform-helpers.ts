/**
 * Functions that transformed code imports from `@oxc-project/runtime/helpers/NAME`. Projects don't
 * have that package, so the few small ones that can occur are inlined as `data:` URLs.
 */
const helpers: Readonly<Record<string, string>> = {
  // (decorators, class) or (decorators, prototype, name, descriptor; null for the existing one)
  decorate: `export default function decorate(decorators, target, name, descriptor) {
  const isMember = arguments.length > 2;
  let result = target;
  if (isMember)
    result = descriptor === null ? Object.getOwnPropertyDescriptor(target, name) : descriptor;
  for (const decorator of decorators.toReversed())
    result = (isMember ? decorator(target, name, result) : decorator(result)) || result;
  if (isMember && result) Object.defineProperty(target, name, result);
  return result;
}`,
  decorateParam: `export default function decorateParam(index, decorator) {
  return (target, name) => decorator(target, name, index);
}`,
};

/** Returns the URL of a helper; undefined for other specifiers. */
export function findHelperUrl(specifier: string): string | undefined {
  const name = /^@oxc-project\/runtime\/helpers\/(\w+)$/.exec(specifier)?.[1];
  const text = name === undefined ? undefined : helpers[name];
  return text && `data:text/javascript,${encodeURIComponent(text)}`;
}
