import { isRecord } from '@vitrine/project';
import type { ImportedFiles, LeftOut } from '../imported-project.ts';
import { damaged, decodeBase64, decompressLz, parseLinkJson } from './decode.ts';
import { createImportMap, createPageProject, escapeAttribute } from './page-project.ts';

/** Settings of LiveCodes that are about the code, and have no counterpart here. */
const codeSettings = ['tests', 'types', 'customSettings', 'markers'] as const;

/** Whether an object is a LiveCodes project, as its links and exports have it. */
export function isLiveCodesProject(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && ['markup', 'style', 'script'].some((panel) => isRecord(value[panel]));
}

/** Converts a LiveCodes project. Throws `link_damaged`. */
export function convertLiveCodes(config: unknown): ImportedFiles {
  if (!isLiveCodesProject(config)) throw damaged();
  const panel = (name: string) => {
    const { language, content, hiddenContent } = toRecord(config[name]);
    const code = [hiddenContent, content].filter((each) => typeof each === 'string').join('\n');
    return { code, language: typeof language === 'string' ? language : '' };
  };
  const leftOut: LeftOut[] = [];
  const processors = toStrings(config['processors']);
  const css = panel('style');
  const usesTailwind = processors.includes('tailwindcss');
  for (const name of processors)
    if (!/^(?:tailwindcss|autoprefixer|postcssPresetEnv|cssnano)$/.test(name))
      leftOut.push({ path: name, reason: 'unsupported' });
  for (const name of codeSettings) {
    const value = config[name];
    if (isRecord(value) && Object.keys(value).length > 0)
      leftOut.push({ path: name, reason: 'settings' });
  }
  const preset = config['cssPreset'];
  if (typeof preset === 'string' && preset !== '')
    leftOut.push({ path: preset, reason: 'settings' });
  const imports = toRecord(config['imports']);
  const importMap = Object.keys(imports).length > 0 ? createImportMap(imports) : '';
  const { title, head, htmlAttrs } = config;
  return createPageProject({
    ...(typeof title === 'string' && title !== 'Untitled Project' && { title }),
    head: [importMap, typeof head === 'string' ? head : '']
      .filter((each) => each !== '')
      .join('\n'),
    htmlAttributes:
      typeof htmlAttrs === 'string' ? htmlAttrs : writeAttributes(toRecord(htmlAttrs)),
    html: panel('markup'),
    css:
      usesTailwind && !/@tailwind\b|@import\s+["']tailwindcss/.test(css.code)
        ? { ...css, code: `@import "tailwindcss";\n${css.code}` }
        : css,
    js: panel('script'),
    stylesheets: toStrings(config['stylesheets']),
    scripts: toStrings(config['scripts']),
    leftOut,
  });
}

/**
 * Reads a LiveCodes link whose code is in its query or hash: `?x=code/…` and `config=code/…` with
 * lz-string, `config=data:application/json;base64,…`, or a parameter for each language. Undefined
 * if the code isn't in the link. Throws `link_damaged` or `project_too_large`.
 */
export function readLiveCodesLink(url: URL): ImportedFiles | undefined {
  const parameters = [...url.searchParams, ...new URLSearchParams(url.hash.replace(/^#\??/, ''))];
  for (const [name, value] of parameters) {
    if (name !== 'x' && name !== 'config') continue;
    if (value.startsWith('code/'))
      return convertLiveCodes(parseLinkJson(decompressLz(value.slice('code/'.length))));
    const data = /^data:application\/json;base64,(.*)$/s.exec(value)?.[1];
    if (data !== undefined) {
      const text = new TextDecoder().decode(decodeBase64(data.replaceAll(' ', '+')));
      return convertLiveCodes(parseLinkJson(text));
    }
  }
  const values = new Map(parameters);
  const find = (...names: string[]) => {
    const name = names.find((each) => values.has(each));
    return name === undefined ? undefined : { language: name, content: values.get(name) };
  };
  const config = {
    title: values.get('title'),
    markup: find('html', 'markdown', 'md'),
    style: find('css', 'scss', 'sass', 'less', 'stylus'),
    script: find('js', 'javascript', 'ts', 'typescript', 'jsx', 'tsx', 'vue', 'svelte', 'solid'),
  };
  return isLiveCodesProject(config) ? convertLiveCodes(config) : undefined;
}

function writeAttributes(attributes: Readonly<Record<string, unknown>>): string {
  const written = Object.entries(attributes).flatMap(([name, value]) =>
    typeof value === 'string' && /^[\w-]+$/.test(name)
      ? [`${name}="${escapeAttribute(value)}"`]
      : [],
  );
  return written.length === 0 ? 'lang="en"' : written.join(' ');
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function toStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
