import { listTemplateManifests } from './formats/manifests.ts';
import { createMain } from './formats/page-project.ts';

/** Languages that pasted code is recognized as. */
export type PastedLanguage =
  'HTML' | 'CSS' | 'JavaScript' | 'TypeScript' | 'JSX' | 'TSX' | 'Vue' | 'Svelte' | 'Markdown';

/** A recognized piece of code as the files of a project with a page that runs it. */
interface PastedProject {
  readonly language: PastedLanguage;
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Adds the files that run a piece of code. Undefined for blank text.
 *
 * @param language Recognized by the code's marks by default.
 */
export function createPastedProject(
  code: string,
  language = recognizeLanguage(code),
): PastedProject | undefined {
  if (code.trim() === '') return undefined;
  const files = [
    ...createFiles(language, code),
    ...listTemplateManifests(findTemplate(language, code)),
  ];
  return { language, files: new Map(files) };
}

/** The template with the packages that the added files, or JSX, import. */
function findTemplate(language: PastedLanguage, code: string): string | undefined {
  if (language === 'Vue' || language === 'Svelte') return language.toLowerCase();
  if (language !== 'JSX' && language !== 'TSX') return undefined;
  const isOther = /\bfrom\s*['"](?:preact|solid-js)\b/.test(code);
  return isOther ? undefined : 'react';
}

function recognizeLanguage(code: string): PastedLanguage {
  const start = code.replace(/^(?:\s|<!--[^]*?-->|\/\*[^]*?\*\/|\/\/.*)+/, '');
  if (start.startsWith('<')) return recognizeMarkup(start);
  // JavaScript first: styles inside of strings look like CSS.
  if (isScript(start)) return recognizeScript(code);
  if (/^#{1,6} \S|^[^\n]+\n[=-]{3,}\n|\n#{1,6} \S|\n```/.test(start)) return 'Markdown';
  if (
    /^(?:@[a-z-]+\b|[.#:*&a-z[][^{};]*\{)[^]*\}\s*$/i.test(start) &&
    /[{;]\s*[\w-]+\s*:/.test(start)
  )
    return 'CSS';
  return recognizeScript(code);
}

function recognizeMarkup(code: string): PastedLanguage {
  if (/^<!doctype|^<html\b/i.test(code)) return 'HTML';
  if (/<script\b[^>]*\bsetup\b|^<template>/i.test(code)) return 'Vue';
  if (/\{[#:@](?:if|each|await|snippet|render|html|else)\b|\$(?:state|props|derived)\b/.test(code))
    return 'Svelte';
  // A component whose first line is markup: <App prop={value} />
  return /^<>|^<[A-Z]/.test(code) ? recognizeScript(code) : 'HTML';
}

const scriptMarks =
  /^(?:import|export|const|let|var|function|async|class|interface|type|enum|declare|if|for|while|try|new|await|return|'use |"use )\b|^(?:document|window|console|Math|\$)[.(]|^[\w$.]+\s*(?:=[^=]|\()|=>/;

function isScript(code: string): boolean {
  return scriptMarks.test(code);
}

function recognizeScript(code: string): PastedLanguage {
  const hasTypes =
    /^\s*(?:export\s+)?(?:declare\s+)?(?:interface|type|enum|namespace)\s+\w+/m.test(code) ||
    /[\w)\]?]\s*:\s*(?:string|number|boolean|unknown|any|void|never|Array<|Promise<|Record<|HTML\w*Element|React\.)/.test(
      code,
    ) ||
    /\bas (?:const|[A-Z]\w*|string|number)\b(?!.*from)|\bimport type\b|\w!\./.test(code);
  const hasMarkup =
    /(?:return|=>|[(=?:,&])\s*\(?\s*<(?:>|[A-Za-z][\w.]*[\s/>])/.test(code) ||
    /^\s*<[A-Z>]/.test(code);
  if (hasMarkup) return hasTypes ? 'TSX' : 'JSX';
  return hasTypes ? 'TypeScript' : 'JavaScript';
}

function createFiles(language: PastedLanguage, code: string): [path: string, text: string][] {
  const run = (script: string) => createPage(`<script type="module" src="${script}"></script>`);
  switch (language) {
    case 'HTML':
      return [['index.html', code]];
    case 'Markdown':
      return [['index.md', code]];
    case 'CSS':
      return [
        ['index.html', createPage('<link rel="stylesheet" href="style.css" />')],
        ['style.css', code],
      ];
    case 'JavaScript':
    case 'TypeScript': {
      const script = language === 'JavaScript' ? 'script.js' : 'script.ts';
      return [
        ['index.html', run(script)],
        [script, code],
      ];
    }
    case 'JSX':
    case 'TSX': {
      const extension = language.toLowerCase();
      const component = findComponent(code);
      if (component === undefined)
        return [
          ['index.html', run(`main.${extension}`)],
          [`main.${extension}`, code],
        ];
      const main = `import { createRoot } from 'react-dom/client';
import ${component} from './App.${extension}';

createRoot(document.getElementById('app')).render(<${component.replaceAll(/[{}\s]/g, '')} />);
`;
      return [
        ['index.html', run('main.jsx')],
        ['main.jsx', main],
        [`App.${extension}`, code],
      ];
    }
    case 'Vue':
      return [
        ['index.html', run('main.js')],
        ['main.js', createMain('vue', 'App.vue')],
        ['App.vue', code],
      ];
    case 'Svelte':
      return [
        ['index.html', run('main.js')],
        ['main.js', createMain('svelte', 'App.svelte')],
        ['App.svelte', code],
      ];
  }
}

/**
 * How to import the component that a script exports: "App" or "{ App }". Undefined if it exports
 * none, and so renders it itself.
 */
function findComponent(code: string): string | undefined {
  if (/\bexport\s+default\b/.test(code)) return 'App';
  const named = /\bexport\s+(?:function|const|class)\s+([A-Z]\w*)/.exec(code)?.[1];
  return named === undefined ? undefined : `{ ${named} }`;
}

function createPage(head: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>My page</title>
    ${head}
  </head>
  <body>
    <div id="app"></div>
  </body>
</html>
`;
}
