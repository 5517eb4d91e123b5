import type { SyntaxProblem } from './check-script.ts';
import { positionAt } from './instrument-html.ts';
import type { ScriptSettings } from './transform-script.ts';

/**
 * Decorators are translated as TypeScript's own, and would be called with other arguments than those
 * of the standard expect. Which are meant can be told where one is written: by the type of its second
 * argument.
 */
export function findStandardDecorators(
  text: string,
  { hasOwnDecorators }: Pick<ScriptSettings, 'hasOwnDecorators'>,
): SyntaxProblem[] {
  if (hasOwnDecorators || !text.includes('DecoratorContext')) return [];
  const found = /:\s*(?:Class(?:Method|Getter|Setter|Field|Accessor)?)?DecoratorContext\b/.exec(
    text,
  );
  if (!found) return [];
  const at = positionAt(text, found.index + found[0].search(/\w/));
  return [{ sentence: noStandardDecorators, ...at }];
}

export const noStandardDecorators =
  'Decorators of the standard are not translated, and no browser runs them yet: write them for “experimentalDecorators” of TypeScript.';
