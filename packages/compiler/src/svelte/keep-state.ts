/**
 * What a component of Svelte holds, kept over an edit of it, which begins the component anew. Put
 * into the code that Svelte's compiler makes for debugging, in which every variable, import and
 * component can be told:
 *
 *   let count = $.tag($.state(0), 'count');
 * → let count = $.tag($.state($$kept.value("count", "5feceb66", [], () => (0), () => $.get(count))), 'count');
 *   Part(node, { … })  →  Part(node, $$kept.child("Part 1/1", { … }))
 */
import { parseScript } from '../parse-script.ts';
import type { Edit } from '../rewrite-module.ts';
import { shortHash } from '../short-hash.ts';
import { findComponent } from './code-nodes.ts';
import { findComponentPlaces } from './component-places.ts';
import { findHeldValues, type HeldValue } from './held-values.ts';
import { findNamedParts, leadsTo, type NamedParts } from './named-parts.ts';

/** The function that `keepState` calls; it is to be imported under this name. */
export const openState = '$$openState';

/** The edits in the order of the text. They add no lines. */
export function keepState(code: string, path: string): Edit[] {
  const program = parseScript(code, { ecmaVersion: 'latest', sourceType: 'module' });
  const component = findComponent(program);
  if (!component) return [];
  const named = findNamedParts(program, component);
  const opened = `${openState}(arguments[1], ${JSON.stringify(path)}, import.meta.url)`;
  return [
    insert(component.body.start + 1, ` const $$kept = ${opened};`),
    ...findHeldValues(component).flatMap((held) => keepValue(code, held, named)),
    ...findComponentPlaces(component).flatMap(({ place, properties: { start, end } }) => [
      insert(start, `$$kept.child(${JSON.stringify(place)}, `),
      insert(end, ')'),
    ]),
  ].sort((a, b) => a.start - b.start);
}

function keepValue(code: string, held: HeldValue, named: NamedParts): Edit[] {
  const { name, start, end, beginning, isSignal } = held;
  const { parts, used } = beginning ? leadsTo(beginning, named) : { parts: [], used: [] };
  const texts = parts.map((part) => code.slice(part.start, part.end));
  const key = shortHash([code.slice(start, end), ...texts].join('\n'));
  const open = `$$kept.value(${JSON.stringify(name)}, "${key}", [${used.join(', ')}], () => `;
  const read = `, () => ${isSignal ? `$.get(${name})` : name})`;
  return beginning
    ? [insert(start, `${open}(`), insert(end, `)${read}`)]
    : [insert(start, `${open}undefined${read}`)];
}

function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}
