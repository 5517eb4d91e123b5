/** The script of a Vue component; what it exports is in a variable afterwards. */
import type { SFCDescriptor } from '@vue/compiler-sfc';
import type { LanguageContext } from '../compile-file.ts';
import { mapped, unmapped, type MappedCode } from '../mapped-code.ts';
import type { VueCompiler } from './load-compiler.ts';

/** Name of that variable, in the component's module. */
export const component = '__component';

export interface VueScript {
  code: MappedCode;
  /** What the template's names mean. */
  bindings: NonNullable<ReturnType<VueCompiler['compileScript']>['bindings']>;
}

/** Throws where the script does not compile. */
export function compileVueScript(
  vue: VueCompiler,
  descriptor: SFCDescriptor,
  id: string,
  { exists, read, settings }: LanguageContext,
): VueScript {
  const { script, scriptSetup } = descriptor;
  if (script?.src !== undefined) return importScript(script.src);
  if (!script && !scriptSetup) return { code: unmapped(`const ${component} = {};`), bindings: {} };
  /** Files whose types were looked up. The compiler keeps these by path, and paths are not unique. */
  const looked = new Set<string>();
  try {
    const made = vue.compileScript(descriptor, {
      id,
      genDefaultAs: component,
      inlineTemplate: false,
      // Vue itself reads TypeScript's own decorators, in TypeScript; the others go behind it.
      babelParserPlugins: settings.hasOwnDecorators ? [] : ['decorators', 'decoratorAutoAccessors'],
      fs: {
        fileExists: exists,
        readFile(path) {
          looked.add(path);
          return read(path);
        },
        realpath: (path) => path,
      },
    });
    return { code: mapped(made.content, made.map), bindings: made.bindings ?? {} };
  } finally {
    for (const path of looked) vue.invalidateTypeCache(path);
  }
}

/** `<script src="./a.ts">`: what that file exports is the component's. */
function importScript(address: string): VueScript {
  const from = JSON.stringify(address);
  const code = `import ${component} from ${from};\nexport * from ${from};`;
  return { code: unmapped(code), bindings: {} };
}
