/** What stands in a component and cannot be compiled here, told before anything else is tried. */
import type { SFCBlock, SFCDescriptor } from '@vue/compiler-sfc';
import { blockStyleLanguages } from '../block-style.ts';
import type { SyntaxProblem } from '../check-script.ts';
import { positionAt } from '../instrument-html.ts';
import type { Position } from '../source-map.ts';

const scriptLanguages = ['js', 'ts', 'jsx', 'tsx'];

export function findBlockProblems(descriptor: SFCDescriptor): SyntaxProblem[] {
  const { source, template, script, scriptSetup, styles } = descriptor;
  const problems: SyntaxProblem[] = [];
  const refuse = (block: SFCBlock | null, sentence: (lang: string) => string) => {
    if (block) problems.push({ sentence: sentence(block.lang ?? ''), ...findTag(block, source) });
  };
  if (template?.src !== undefined)
    refuse(template, () => 'A template cannot come from another file. Write it in the component.');
  if (template?.lang !== undefined && template.lang !== 'html')
    refuse(template, (lang) => `Templates in “${lang}” aren’t supported. Use HTML.`);
  for (const block of [script, scriptSetup])
    if (!scriptLanguages.includes(block?.lang ?? 'js'))
      refuse(block, (lang) => `Scripts in “${lang}” aren’t supported. Use “ts” or “js”.`);
  for (const block of styles)
    if (!blockStyleLanguages.includes(block.lang ?? 'css'))
      refuse(block, (lang) => `Styles in “${lang}” aren’t supported. Use “scss”, “less” or “css”.`);
  return problems;
}

/** Where the contents of a block begin. */
export function placeOf({ loc }: SFCBlock): Position {
  return { line: loc.start.line, column: loc.start.column };
}

/** Where the tag of a block begins. */
function findTag({ type, loc }: SFCBlock, source: string): Position {
  return positionAt(source, source.lastIndexOf(`<${type}`, loc.start.offset));
}
