/**
 * Preserves the state of a Svelte component in HMR updates, in which Svelte creates the component
 * again. Edits the development output of Svelte's compiler, in which variables, imports and
 * components have names:
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

/** Name under which the edited code imports the runtime of `hmr-runtime.ts`. */
export const openState = '$$openState';

/** Creates the edits, in text order. They add no lines. */
export function keepState(code: string, path: string): Edit[] {
  const program = parseScript(code, { ecmaVersion: 'latest', sourceType: 'module' });
  const component = findComponent(program);
  if (!component) return [];
  const declarations = findNamedParts(program, component);
  const runtimeCall = `${openState}(arguments[1], ${JSON.stringify(path)}, import.meta.url)`;
  return [
    insert(component.body.start + 1, ` const $$kept = ${runtimeCall};`),
    ...findHeldValues(component).flatMap((variable) => preserveValue(code, variable, declarations)),
    ...findComponentPlaces(component).flatMap(({ place, properties: { start, end } }) => [
      insert(start, `$$kept.child(${JSON.stringify(place)}, `),
      insert(end, ')'),
    ]),
  ].sort((a, b) => a.start - b.start);
}

function preserveValue(code: string, variable: HeldValue, declarations: NamedParts): Edit[] {
  const { name, start, end, beginning, isSignal } = variable;
  const { parts, used } = beginning ? leadsTo(beginning, declarations) : { parts: [], used: [] };
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
