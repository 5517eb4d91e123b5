import { snippet } from './entries.ts';
import type { MarkupEntry } from './messages.ts';
import type { ReadFile } from './read-file.ts';

const html = [
  snippet('module-script', 'module script', '<script type="module" src="${1:script.js}"></script>'),
  snippet('stylesheet', 'linked stylesheet', '<link rel="stylesheet" href="${1:style.css}" />'),
  snippet(
    'viewport',
    'responsive viewport',
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
  ),
  snippet(
    'dialog',
    'dialog with a close button',
    '<dialog id="${1:dialog}">\n\t$0\n\t<form method="dialog"><button>Close</button></form>\n</dialog>',
  ),
  snippet(
    'field',
    'labeled input',
    '<label for="${1:name}">${2:Name}</label>\n<input id="${1:name}" name="${1:name}" />',
  ),
  snippet(
    'picture-figure',
    'image with a caption',
    '<figure>\n\t<img src="$1" alt="$2" />\n\t<figcaption>$0</figcaption>\n</figure>',
  ),
];

const vue = [
  snippet('script-setup', 'component script', '<script setup lang="ts">\n$0\n</script>'),
  snippet(
    'component',
    'script, template and style',
    '<script setup lang="ts">\n$1\n</script>\n\n<template>\n\t$0\n</template>\n\n<style scoped>\n</style>',
  ),
  snippet(
    'for-each',
    'list rendering',
    '<li v-for="${1:item} in ${2:items}" :key="${1:item}.id">$0</li>',
  ),
];

const svelte = [
  snippet('script-ts', 'component script', '<script lang="ts">\n\t$0\n</script>'),
  snippet('if-block', '{#if}', '{#if ${1:condition}}\n\t$0\n{/if}'),
  snippet('if-else-block', '{#if} {:else}', '{#if ${1:condition}}\n\t$2\n{:else}\n\t$0\n{/if}'),
  snippet('each-block', '{#each}', '{#each ${1:items} as ${2:item} (${2:item}.id)}\n\t$0\n{/each}'),
  snippet(
    'await-block',
    '{#await}',
    '{#await ${1:promise}}\n\t$2\n{:then ${3:value}}\n\t$0\n{:catch error}\n\t{error.message}\n{/await}',
  ),
  snippet('key-block', '{#key}', '{#key ${1:value}}\n\t$0\n{/key}'),
  snippet('snippet-block', '{#snippet}', '{#snippet ${1:name}()}\n\t$0\n{/snippet}'),
  snippet('render-tag', '{@render}', '{@render ${1:children}()}'),
];

/** Snippets for markup, by kind of file. */
export function markupSnippets(kind: ReadFile['kind']): readonly MarkupEntry[] {
  if (kind === 'vue') return vue;
  return kind === 'svelte' ? svelte : html;
}
