import {
  autocompletion,
  completeFromList,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { serviceCommands, type ServiceCommand } from '../commands/command.ts';
import { afterPaint } from '../after-paint.ts';
import { filePath, hasLanguageService, isMarkup, isStyle } from '../language-facets.ts';
import { completePath } from '../path-completion.ts';
import { completeScript } from './complete-script.ts';
import { completeMarkup } from './complete-markup.ts';
import { completeScriptSnippets } from './script-snippets.ts';
import { hoverDocumentation, showHover } from './hover.ts';
import { changeColorAtCursor, openColorPicker } from './color-picker.ts';
import { completeAbbreviation, emmetKeymap, loadEmmet } from './emmet.ts';
import type { LanguageServiceOptions } from './language-clients.ts';
import type { MarkupClient } from './markup-client.ts';
import { quickFixMenu, quickFixProvider } from './quick-fix-menu.ts';
import { findLanguageQuickFixes, organizeImports } from './language-quick-fixes.ts';
import { formPanel } from './form-panel.ts';
import { goToDefinitionOnClick, goToDefinition, listReferences } from './navigate.ts';
import { renameSymbolAtCursor } from './rename.ts';
import { createShowSignatureCommand, parameterHints } from './parameter-hints.ts';
import { colorSwatches } from './color-swatches.ts';

/**
 * Extensions that connect the workers to the editor: completion, hover, signatures, quick fixes,
 * rename and navigation.
 */
export function languageService(options: LanguageServiceOptions): Extension {
  const { scripts, markup } = options;
  const sources = [
    completePath,
    completeScript(scripts),
    completeMarkup(markup),
    completeAbbreviation,
    completeFromLanguage(markup),
  ].map(afterTyping);
  void loadEmmet();
  return [
    hasLanguageService.of(true),
    // The worker answers within a few frames, and a newer request replaces the older.
    autocompletion({ activateOnTypingDelay: 0, override: sources }),
    hoverDocumentation(options),
    parameterHints(scripts),
    // Precedes the quick fix menu, which handles the same command.
    serviceCommands.of({ id: 'fix', run: (view) => changeColorAtCursor(view, markup) }),
    quickFixMenu,
    quickFixProvider.of({
      ...options,
      findQuickFixes: (at, state) => findLanguageQuickFixes(options, at, state),
    }),
    emmetKeymap,
    formPanel,
    colorSwatches(markup, (view, color) => openColorPicker(view, color, markup)),
    goToDefinitionOnClick(options),
    createCommands(options).map((command) => serviceCommands.of(command)),
  ];
}

/** Completes from the language's own sources and script snippets, where no worker completes. */
function completeFromLanguage(markup: MarkupClient): CompletionSource {
  return async (context) => {
    const path = context.state.facet(filePath);
    if (markup.isAvailable && (isMarkup(path) || isStyle(path))) return null;
    const sources = [...findSources(context), completeScriptSnippets];
    const results = await Promise.all(sources.map((source) => source(context)));
    return results.reduce(mergeResults, null);
  };
}

function findSources({ state, pos }: CompletionContext): CompletionSource[] {
  const sources: readonly unknown[] = state.languageDataAt('autocomplete', pos);
  return sources.flatMap((source) => {
    // It has been called already.
    if (source === completePath) return [];
    if (typeof source === 'function') return source as CompletionSource;
    return Array.isArray(source) ? completeFromList(source) : [];
  });
}

/** Merges two results that start at the same position. */
function mergeResults(
  a: CompletionResult | null,
  b: CompletionResult | null,
): CompletionResult | null {
  if (!a || !b) return a ?? b;
  return a.from === b.from ? { ...a, options: [...a.options, ...b.options] } : a;
}

/**
 * Delays a completion result until the typed character is painted, since opening the list takes
 * time.
 */
function afterTyping(source: CompletionSource): CompletionSource {
  return async (context) => {
    const result = await source(context);
    await new Promise<void>(afterPaint);
    return result;
  };
}

function createCommands(options: LanguageServiceOptions): readonly ServiceCommand[] {
  return [
    { id: 'definition', run: (view) => goToDefinition(view, options) },
    { id: 'references', run: (view) => listReferences(view, options) },
    { id: 'rename', run: (view) => renameSymbolAtCursor(view, options) },
    { id: 'organiseImports', run: (view) => organizeImports(view, options) },
    { id: 'signature', run: createShowSignatureCommand(options.scripts) },
    { id: 'description', run: showHover },
  ];
}
