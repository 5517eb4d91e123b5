import { readBuiltIn } from './console/built-in.ts';

/** Start tag of an element, `<p class="a b">`; long ones are truncated. */
export function openingTag(element: Element): string {
  const list = readBuiltIn(Element.prototype, 'attributes', element);
  const attributes = list instanceof NamedNodeMap ? [...list].slice(0, 20) : [];
  const words = attributes.map(({ name, value }) => ` ${name}="${value.slice(0, 60)}"`);
  return `<${element.localName}${words.join('')}>`;
}
