import { findColors, formatColorLike } from './colors.ts';
import { MarkupCompletionProvider } from './completion-provider.ts';
import { findMarkupHover } from './hover.ts';
import type { MarkupResults, MarkupHandlers, MarkupCall, MarkupMethod } from './messages.ts';
import {
  findMarkupDefinitions,
  findMarkupReferences,
  findMarkupRenameTarget,
  renameMarkupName,
} from './navigation.ts';
import type { MarkupContext } from './services.ts';
import { listStyleQuickFixes, lintStyles } from './style-diagnostics.ts';

/** The handler of each kind of request. A handler may throw if a language service does. */
export function createMarkupHandlers(context: MarkupContext): MarkupHandlers {
  const completions = new MarkupCompletionProvider(context);
  return {
    completions: (at) => completions.complete(at),
    completion: ({ name }) => completions.findDocumentation(name),
    description: (at) => findMarkupHover(context, at),
    definitions: (at) => findMarkupDefinitions(context, at),
    references: (at) => findMarkupReferences(context, at),
    renaming: (at) => findMarkupRenameTarget(context, at),
    rename: (at) => renameMarkupName(context, at),
    documentColor: (at) => findColors(context, at),
    colorPresentation: (at) => formatColorLike(context, at),
    problems: (at) => lintStyles(context, at),
    fixes: (at) => listStyleQuickFixes(context, at),
  };
}

/** Calls the handler of a request. */
export function handleMarkupCall<K extends MarkupMethod>(
  handlers: MarkupHandlers<K>,
  { kind, at }: MarkupCall<K>,
): MarkupResults[K] | Promise<MarkupResults[K]> {
  return handlers[kind](at);
}
