/** Checks a Vue component for unsupported blocks, before it is compiled. */
import type { SFCBlock, SFCDescriptor } from '@vue/compiler-sfc';
import { blockStyleLanguages } from '../component/block-style.ts';
import type { CompileDiagnostic } from '../script/check-script.ts';
import { getPosition } from '../page/instrument-html.ts';
import type { Position } from '../source-map.ts';

const scriptLanguages = ['js', 'ts', 'jsx', 'tsx'];

export function findBlockProblems(descriptor: SFCDescriptor): CompileDiagnostic[] {
  const { source, template, script, scriptSetup, styles } = descriptor;
  const problems: CompileDiagnostic[] = [];
  const addProblem = (block: SFCBlock | null, createMessage: (lang: string) => string) => {
    if (block)
      problems.push({ message: createMessage(block.lang ?? ''), ...findTag(block, source) });
  };
  if (template?.src !== undefined)
    addProblem(
      template,
      () => 'Templates can’t be in a separate file. Move the template into the component.',
    );
  if (template?.lang !== undefined && template.lang !== 'html')
    addProblem(template, (lang) => `Templates in “${lang}” aren’t supported. Use HTML.`);
  for (const block of [script, scriptSetup])
    if (!scriptLanguages.includes(block?.lang ?? 'js'))
      addProblem(block, (lang) => `Scripts in “${lang}” aren’t supported. Use “ts” or “js”.`);
  for (const block of styles)
    if (!blockStyleLanguages.includes(block.lang ?? 'css'))
      addProblem(
        block,
        (lang) => `Styles in “${lang}” aren’t supported. Use “scss”, “less”, or “css”.`,
      );
  return problems;
}

/** Returns the start position of a block's content. */
export function getContentPosition({ loc }: SFCBlock): Position {
  return { line: loc.start.line, column: loc.start.column };
}

/** Returns the start position of a block's tag. */
function findTag({ type, loc }: SFCBlock, source: string): Position {
  return getPosition(source, source.lastIndexOf(`<${type}`, loc.start.offset));
}
