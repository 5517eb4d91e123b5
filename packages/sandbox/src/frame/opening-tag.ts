import { readBuiltIn } from './built-in.ts';

/** `<p class="a b">`, without the contents; of what is long, its beginning. */
export function openingTag(element: Element): string {
  const list = readBuiltIn(Element.prototype, 'attributes', element);
  const attributes = list instanceof NamedNodeMap ? [...list].slice(0, 20) : [];
  const words = attributes.map(({ name, value }) => ` ${name}="${value.slice(0, 60)}"`);
  return `<${element.localName}${words.join('')}>`;
}
