import { vue as vueSupport } from '@codemirror/lang-vue';
import { indentService, syntaxTree, type IndentContext } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { closeComponentTags, closeRawTextTags } from '../tag-closing.ts';

/** Vue single-file components: HTML with template expressions, script and styles. */
export function vue(): Extension {
  // HTML's own handler ignores tags that end in an attribute with an expression.
  return [vueSupport(), indentService.of(indentBlock), closeRawTextTags, closeComponentTags];
}

/**
 * Statements and rules of a component's script and styles start in the first column, as Vue's style
 * guide and Prettier have it. Leaves lines within them to their language.
 */
function indentBlock({ state }: IndentContext, pos: number): number | undefined {
  const node = syntaxTree(state).resolveInner(pos, -1).resolve(pos, 0);
  const inner = node.enterUnfinishedNodesBefore(pos);
  // The top of an embedded language, or the element itself while it is empty.
  const isTop = inner === node && (node.type.isTop || node.name === 'Element');
  const element = node.name === 'Element' ? node : node.parent;
  const tag = element?.getChild('OpenTag')?.getChild('TagName');
  const isInBlock = tag && /^(?:script|style)$/.test(state.sliceDoc(tag.from, tag.to));
  return isTop && isInBlock ? 0 : undefined;
}
