/**
 * Preserves the state of a Svelte component in HMR updates, in which Svelte creates the component
 * again. Edits the development output of Svelte's compiler, in which variables, imports and
 * components have names:
 *
 *   let count = $.tag($.state(0), 'count');
 * → let count = $.tag($.state($$kept.value("count", "5feceb66", [], () => (0), () => $.get(count))), 'count');
 *   Part(node, { … })  →  Part(node, $$kept.child("Part 1/1", { … }))
 */
import { parseScript } from '../script/parse-script.ts';
import type { Edit } from '../rewrite-module.ts';
import { createShortHash } from '../short-hash.ts';
import { findComponent } from './generated-code.ts';
import { findChildComponents } from './hmr-child-components.ts';
import { findStatefulVariables, type StatefulVariable } from './hmr-stateful-variables.ts';
import { findDeclarations, findDependencies, type ModuleDeclarations } from './hmr-dependencies.ts';

/** Name under which the edited code imports the runtime of `hmr-runtime.ts`. */
export const hmrStateFunction = '$$openState';

/** Creates the edits, in text order. They add no lines. */
export function createStateEdits(code: string, path: string): Edit[] {
  const program = parseScript(code, { ecmaVersion: 'latest', sourceType: 'module' });
  const component = findComponent(program);
  if (!component) return [];
  const declarations = findDeclarations(program, component);
  const runtimeCall = `${hmrStateFunction}(arguments[1], ${JSON.stringify(path)}, import.meta.url)`;
  return [
    insert(component.body.start + 1, ` const $$kept = ${runtimeCall};`),
    ...findStatefulVariables(component).flatMap((variable) =>
      preserveValue(code, variable, declarations),
    ),
    ...findChildComponents(component).flatMap(({ key: place, properties: { start, end } }) => [
      insert(start, `$$kept.child(${JSON.stringify(place)}, `),
      insert(end, ')'),
    ]),
  ].sort((a, b) => a.start - b.start);
}

function preserveValue(
  code: string,
  variable: StatefulVariable,
  declarations: ModuleDeclarations,
): Edit[] {
  const { name, start, end, initialValue, isSignal } = variable;
  const { parts, used } = initialValue
    ? findDependencies(initialValue, declarations)
    : { parts: [], used: [] };
  const texts = parts.map((part) => code.slice(part.start, part.end));
  const key = createShortHash([code.slice(start, end), ...texts].join('\n'));
  const open = `$$kept.value(${JSON.stringify(name)}, "${key}", [${used.join(', ')}], () => `;
  const read = `, () => ${isSignal ? `$.get(${name})` : name})`;
  return initialValue
    ? [insert(start, `${open}(`), insert(end, `)${read}`)]
    : [insert(start, `${open}undefined${read}`)];
}

function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}
