/** Compiles the styles of a Vue component to one text, with the class names of its CSS modules. */
import type { SFCDescriptor, SFCStyleBlock } from '@vue/compiler-sfc';
import { compileBlockStyle, shiftDiagnostic } from '../component/block-style.ts';
import type { CompileDiagnostic } from '../script/check-script.ts';
import type { MissingImport } from '../compiled-file.ts';
import { resolvePath } from '../resolve-path.ts';
import type { VueCompiler } from './load-compiler.ts';
import { getContentPosition } from './vue-blocks.ts';
import { translateStyleMessage } from '../style/style-messages.ts';
import type { LanguageContext } from '../compile-context.ts';

export interface VueStyles {
  css: string;
  /** Class names in the page by name in the source, by module: `$style`, or the name of the block. */
  modules: Record<string, Readonly<Record<string, string>>>;
  problems: CompileDiagnostic[];
  /** Missing files of `<style src>`. */
  absent: MissingImport[];
}

export async function compileVueStyles(
  vue: VueCompiler,
  { filename, styles }: SFCDescriptor,
  id: string,
  context: LanguageContext,
): Promise<VueStyles> {
  const result: VueStyles = { css: '', modules: {}, problems: [], absent: [] };
  for (const block of styles) {
    const source = findSource(filename, block, context);
    if (!source) {
      result.absent.push({ specifier: block.src ?? '', ...getContentPosition(block) });
      continue;
    }
    const { module = false } = block;
    const language = block.lang ?? 'css';
    const style = await compileBlockStyle(
      { ...source, language, isModule: module !== false },
      context,
    );
    const { code, errors } = vue.compileStyle({
      source: style.css,
      filename: source.path,
      id,
      scoped: block.scoped ?? false,
    });
    const problems = [...style.problems, ...errors.map(describeCssError)];
    // Errors in another file are shown at the block that imports it.
    result.problems.push(
      ...problems.map((one) =>
        block.src === undefined
          ? shiftDiagnostic(one, getContentPosition(block))
          : { ...one, ...getContentPosition(block) },
      ),
    );
    result.css += `${code}\n`;
    if (module !== false) result.modules[module === true ? '$style' : module] = style.names;
  }
  return result;
}

/** Returns the text of a block, or of the file in its `src`. */
function findSource(
  filename: string,
  { src, content }: SFCStyleBlock,
  { read }: LanguageContext,
): { path: string; text: string } | undefined {
  if (src === undefined) return { path: filename, text: content };
  const path = resolvePath(filename, src);
  const text = path === undefined ? undefined : read(path);
  return path === undefined || text === undefined ? undefined : { path, text };
}

/** Converts an error of PostCSS, which has `reason`, `line` and `column`. */
function describeCssError(error: Error): CompileDiagnostic {
  if (!('reason' in error && 'line' in error && 'column' in error)) throw error;
  const { reason, line, column } = error;
  return {
    message: translateStyleMessage(String(reason)),
    line: Number(line),
    column: Number(column),
  };
}
