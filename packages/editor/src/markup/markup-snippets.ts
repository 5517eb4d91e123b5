import { createSnippet } from './completion-entries.ts';
import type { MarkupCompletion } from './messages.ts';
import type { MarkupFile } from './markup-file.ts';

const html = [
  createSnippet(
    'module-script',
    'module script',
    '<script type="module" src="${1:script.js}"></script>',
  ),
  createSnippet(
    'stylesheet',
    'linked stylesheet',
    '<link rel="stylesheet" href="${1:style.css}" />',
  ),
  createSnippet(
    'viewport',
    'responsive viewport',
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
  ),
  createSnippet(
    'dialog',
    'dialog with a close button',
    '<dialog id="${1:dialog}">\n\t$0\n\t<form method="dialog"><button>Close</button></form>\n</dialog>',
  ),
  createSnippet(
    'field',
    'labeled input',
    '<label for="${1:name}">${2:Name}</label>\n<input id="${1:name}" name="${1:name}" />',
  ),
  createSnippet(
    'picture-figure',
    'image with a caption',
    '<figure>\n\t<img src="$1" alt="$2" />\n\t<figcaption>$0</figcaption>\n</figure>',
  ),
];

const vue = [
  createSnippet('script-setup', 'component script', '<script setup lang="ts">\n$0\n</script>'),
  createSnippet(
    'component',
    'script, template, and style',
    '<script setup lang="ts">\n$1\n</script>\n\n<template>\n\t$0\n</template>\n\n<style scoped>\n</style>',
  ),
  createSnippet(
    'for-each',
    'list rendering',
    '<li v-for="${1:item} in ${2:items}" :key="${1:item}.id">$0</li>',
  ),
];

const svelte = [
  createSnippet('script-ts', 'component script', '<script lang="ts">\n\t$0\n</script>'),
  createSnippet('if-block', '{#if}', '{#if ${1:condition}}\n\t$0\n{/if}'),
  createSnippet(
    'if-else-block',
    '{#if} {:else}',
    '{#if ${1:condition}}\n\t$2\n{:else}\n\t$0\n{/if}',
  ),
  createSnippet(
    'each-block',
    '{#each}',
    '{#each ${1:items} as ${2:item} (${2:item}.id)}\n\t$0\n{/each}',
  ),
  createSnippet(
    'await-block',
    '{#await}',
    '{#await ${1:promise}}\n\t$2\n{:then ${3:value}}\n\t$0\n{:catch error}\n\t{error.message}\n{/await}',
  ),
  createSnippet('key-block', '{#key}', '{#key ${1:value}}\n\t$0\n{/key}'),
  createSnippet('snippet-block', '{#snippet}', '{#snippet ${1:name}()}\n\t$0\n{/snippet}'),
  createSnippet('render-tag', '{@render}', '{@render ${1:children}()}'),
];

/** Snippets for markup, by kind of file. */
export function markupSnippets(kind: MarkupFile['kind']): readonly MarkupCompletion[] {
  if (kind === 'vue') return vue;
  return kind === 'svelte' ? svelte : html;
}
