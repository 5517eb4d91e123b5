/*
 * A project with what Vite needs to run and build it. `.vitrine/project.json` says what was added or
 * changed, so that an import gives the project's own files back.
 */
import {
  findFrameworkVersions,
  isOlder,
  readFrameworkRanges,
} from '@vitrine/compiler/framework-versions';
import { renderMarkdownPage } from '@vitrine/compiler/markdown-page';
import { parseLockfile } from '@vitrine/esm/lockfile';
import { getExtension, getTexts, isRecord, type ProjectFiles } from '@vitrine/project';
import { listRuntimeFiles } from './runtime-files.ts';
import { writtenFilesPath, type WrittenFile } from './restore-project.ts';

/** A Vite plugin or another tool that a project needs. */
interface Tool {
  /** npm packages with their ranges. */
  readonly packages: Readonly<Record<string, string>>;
  /** Statement that imports the plugin. */
  readonly import?: string;
  /** Expression of the plugin in the list of plugins. */
  readonly plugin?: string;
  /** Expression of a PostCSS plugin. */
  readonly postcss?: string;
}

const current = { vite: '^8.3.8' };
/** The last versions that the plugins of Svelte 4 and Vue 2, and that of Svelte 3, accept. */
const earlier = { vite: '^5.4.21' };
const earliest = { vite: '^4.5.14' };

/**
 * Writes the files of a project that Vite runs: the project's own, and beside them package.json,
 * vite.config.js, .gitignore and README.md, as far as it has none.
 *
 * @returns All files.
 */
export function createViteProject(title: string, files: ProjectFiles): ProjectFiles {
  const texts = getTexts(files);
  const manifest = readManifest(texts.get('package.json'));
  const written = new Map<string, string>();
  for (const [path, text] of texts) {
    const page = path.replace(/\.md$/, '.html');
    // Vitrine shows Markdown as a page unless there is one.
    if (/(?:^|\/)index\.md$/.test(path) && !files.has(page))
      written.set(page, renderMarkdownPage(path, text));
  }
  const hasConfig = [...texts.keys()].some((path) => /^vite\.config\.[cm]?[jt]s$/.test(path));
  const tools = hasConfig ? [] : chooseTools(texts, manifest);
  written.set('package.json', formatManifest(title, manifest, tools, texts));
  if (!hasConfig) {
    const name = manifest['type'] === 'commonjs' ? 'vite.config.mjs' : 'vite.config.js';
    const paths = [...files.keys(), ...written.keys()];
    const all = new Map([...texts, ...written]);
    written.set(name, formatConfig(tools, paths, listRuntimeFiles(all, [...files.keys()])));
  }
  if (!files.has('.gitignore')) written.set('.gitignore', 'node_modules\ndist\n');
  if (!files.has('README.md'))
    written.set('README.md', `# ${title}\n\n\`npm install\`, then \`npm run dev\`.\n`);
  const list = Object.fromEntries(
    Array.from(written, ([path, text]): [string, WrittenFile] => [
      path,
      { written: text, original: texts.get(path) ?? null },
    ]),
  );
  written.set(writtenFilesPath, `${JSON.stringify({ version: 1, files: list }, null, 2)}\n`);
  const all = new Map(files);
  for (const [path, text] of written) all.set(path, { kind: 'text', text });
  return all;
}

type Manifest = Readonly<Record<string, unknown>>;

function readManifest(text: string | undefined): Manifest {
  try {
    const manifest: unknown = JSON.parse(text ?? '{}');
    return isRecord(manifest) ? manifest : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function chooseTools(texts: ReadonlyMap<string, string>, manifest: Manifest): Tool[] {
  const dependencies = {
    ...record(manifest['devDependencies']),
    ...record(manifest['dependencies']),
  };
  const extensions = new Set(Array.from(texts.keys(), getExtension));
  const has = (...names: string[]) => names.some((name) => extensions.has(name));
  const uses = (pattern: RegExp) => [...texts.values()].some((text) => pattern.test(text));
  const versions = findFrameworkVersions(
    readFrameworkRanges(manifest),
    parseLockfile(texts.get('package-lock.json') ?? ''),
  );
  const isVue2 = 'vue' in dependencies && isOlder(versions.vue, 3);
  const hasJsx = has('jsx', 'tsx');
  const isSvelte3 = has('svelte') && isOlder(versions.svelte, 4);
  const isEarlier = isVue2 || (has('svelte') && isOlder(versions.svelte, 5));
  const vite = isEarlier ? earlier : current;
  const tools: Tool[] = [{ packages: isSvelte3 ? earliest : vite }];
  if (has('vue'))
    tools.push(
      isVue2
        ? plugin('vue', '@vitejs/plugin-vue2', '^2.3.4')
        : plugin('vue', '@vitejs/plugin-vue', '^6.0.11'),
    );
  if (has('svelte') || [...texts.keys()].some((path) => /\.svelte\.[jt]s$/.test(path))) {
    const range = isEarlier ? '^3.1.2' : '^7.3.1';
    tools.push({
      packages: { '@sveltejs/vite-plugin-svelte': isSvelte3 ? '^2.5.3' : range },
      import: "import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte';",
      plugin: 'svelte({ preprocess: vitePreprocess() })',
    });
  }
  if (hasJsx && 'react' in dependencies)
    tools.push(plugin('react', '@vitejs/plugin-react', isEarlier ? '^4.7.0' : '^6.3.0'));
  else if (hasJsx && 'preact' in dependencies)
    tools.push({
      packages: { '@preact/preset-vite': '^2.10.6', '@babel/core': '^7.28.0' },
      import: "import preact from '@preact/preset-vite';",
      plugin: 'preact()',
    });
  else if (hasJsx && 'solid-js' in dependencies)
    tools.push(plugin('solid', 'vite-plugin-solid', '^2.11.14'));
  else if (hasJsx && 'vue' in dependencies)
    tools.push(
      isVue2
        ? plugin('vueJsx', '@vitejs/plugin-vue2-jsx', '^1.1.1')
        : plugin('vueJsx', '@vitejs/plugin-vue-jsx', '^5.1.6'),
    );
  if (uses(/@import\s+(?:url\()?["']tailwindcss|@tailwind\s/))
    tools.push(
      isOlder(versions.tailwindcss, 4)
        ? {
            packages: { tailwindcss: '^3.4.18' },
            import: "import tailwindcss from 'tailwindcss';",
            postcss: 'tailwindcss()',
          }
        : {
            packages: { '@tailwindcss/vite': '^4.3.5', tailwindcss: '^4.3.5' },
            import: "import tailwindcss from '@tailwindcss/vite';",
            plugin: 'tailwindcss()',
          },
    );
  if (has('scss', 'sass') || uses(/<style[^>]+lang=["']s[ac]ss/))
    tools.push({ packages: { sass: '^1.108.2' } });
  if (has('less') || uses(/<style[^>]+lang=["']less/)) tools.push({ packages: { less: '^4.9.1' } });
  if (uses(/from\s*["'][^"']+\.md["']/))
    tools.push({
      packages: { marked: '^18.2.1', 'marked-gfm-heading-id': '^4.1.4' },
      import:
        "import { Marked } from 'marked';\nimport { gfmHeadingId } from 'marked-gfm-heading-id';",
      plugin: `{
      name: 'markdown',
      transform: (text, id) =>
        id.endsWith('.md')
          ? \`export default \${JSON.stringify(new Marked(gfmHeadingId()).parse(text))}\`
          : undefined,
    }`,
    });
  if ([...texts.keys()].some((path) => /\.(?:test|spec)\.m?[jt]sx?$/.test(path)))
    tools.push({ packages: { vitest: '^5.1.1' } });
  return tools;
}

function plugin(name: string, from: string, range: string): Tool {
  return {
    packages: { [from]: range },
    import: `import ${name} from '${from}';`,
    plugin: `${name}()`,
  };
}

function formatManifest(
  title: string,
  manifest: Manifest,
  tools: readonly Tool[],
  texts: ReadonlyMap<string, string>,
): string {
  const own = record(manifest['devDependencies']);
  const dependencies = record(manifest['dependencies']);
  const packages = Object.assign({}, ...tools.map((tool) => tool.packages)) as Record<
    string,
    string
  >;
  const needed = Object.entries(packages).filter(([name]) => !(name in dependencies));
  const hasTests = 'vitest' in packages;
  const name = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const next = {
    name: name === '' ? 'project' : name.slice(0, 100),
    private: true,
    type: 'module',
    ...manifest,
    scripts: {
      dev: 'vite',
      build: 'vite build',
      preview: 'vite preview',
      ...(hasTests && { test: 'vitest run' }),
      ...record(manifest['scripts']),
    },
    ...(texts.has('package.json') && { dependencies }),
    devDependencies: { ...Object.fromEntries(needed), ...own },
  };
  return `${JSON.stringify(next, null, 2)}\n`;
}

function formatConfig(
  tools: readonly Tool[],
  paths: readonly string[],
  copied: readonly string[],
): string {
  const imports = tools.flatMap((tool) => tool.import ?? []);
  const plugins = tools.flatMap((tool) => tool.plugin ?? []);
  if (copied.length > 0) plugins.push('copyFiles()');
  const pages = paths.filter((path) => /\.html?$/i.test(path));
  const postcss = tools.flatMap((tool) => tool.postcss ?? []);
  const pluginsOption =
    plugins.length > 0 ? `\n  plugins: [\n    ${plugins.join(',\n    ')},\n  ],` : '';
  const postcssOption =
    postcss.length > 0 ? `\n  css: { postcss: { plugins: [${postcss.join(', ')}] } },` : '';
  const fileSystem = copied.length > 0 ? ["import { cpSync } from 'node:fs';"] : [];
  const heading = [...fileSystem, "import { defineConfig } from 'vite';", ...imports].join('\n');
  return `${heading}

export default defineConfig({${pluginsOption}${postcssOption}
  // Every page is built. Add new ones here.
  build: { rollupOptions: { input: ${JSON.stringify(pages)} } },
});
${copied.length > 0 ? formatCopying(copied) : ''}`;
}

function formatCopying(paths: readonly string[]): string {
  return `
/** Copies files that pages load while they run, which a build doesn't see. Add new ones here. */
function copyFiles() {
  const files = ${JSON.stringify(paths, null, 2).replaceAll('\n', '\n  ')};
  return {
    name: 'copy-files',
    apply: 'build',
    closeBundle() {
      for (const file of files) cpSync(file, \`dist/\${file}\`, { force: false });
    },
  };
}
`;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
