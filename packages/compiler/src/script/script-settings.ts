import {
  getRecord,
  getText,
  parseJsonWithComments,
  readTypeScriptConfig,
} from '../typescript-config.ts';
import type { ScriptSettings } from './transform-script.ts';

/** Reads the script settings of a project from tsconfig.json (or jsconfig.json) and package.json. */
export function readScriptSettings(read: (path: string) => string | undefined): ScriptSettings {
  const { options } = readTypeScriptConfig(read);
  const jsx = options['jsx'];
  // Projects built by esbuild set only the factory.
  const isClassic =
    jsx === 'react' ||
    (getText(options, 'jsxFactory') !== undefined && !String(jsx).startsWith('react-jsx'));
  const dependsOn = readDependencies(read('package.json') ?? '');
  return {
    jsxRuntime: isClassic ? 'classic' : 'automatic',
    // React is the default, unless the project depends on another of these and not on React.
    jsxImportSource:
      getText(options, 'jsxImportSource') ?? elementPackages.find(dependsOn) ?? 'react',
    jsxFactory: getText(options, 'jsxFactory'),
    jsxFragmentFactory: getText(options, 'jsxFragmentFactory'),
    definesFields: options['useDefineForClassFields'] !== false,
    hasOwnDecorators: options['experimentalDecorators'] === true,
    jsxMode: 'development',
    refreshLibrary: dependsOn('react') ? 'react' : dependsOn('preact') ? 'preact' : null,
  };
}

/** Packages that JSX creates elements with. The first that a project depends on is used. */
const elementPackages = ['react', 'preact', 'vue', 'solid-js'];

function readDependencies(packageJson: string): (name: string) => boolean {
  const parsed = parseJsonWithComments(packageJson);
  return (name) =>
    ['dependencies', 'devDependencies', 'peerDependencies'].some(
      (list) => getText(getRecord(parsed, list), name) !== undefined,
    );
}
