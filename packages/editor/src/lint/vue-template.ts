/**
 * Prepares the template of a Vue component for html-validate, and adds rules of Vue's style guide.
 */
import {
  definePlugin,
  DynamicValue,
  Rule,
  type AttributeData,
  type HtmlElement,
  type SourceHooks,
} from 'html-validate/browser';
import { blankText, maskExpressions } from '../markup/blank-text.ts';

/**
 * html-validate rules that apply to a fragment of a page, whatever it is inserted into. Element
 * names, closing tags and duplicate ids are Vue's responsibility.
 */
export const templateRules = {
  'attribute-allowed-values': 'error',
  'attribute-misuse': 'error',
  deprecated: 'error',
  'element-permitted-content': 'error',
  'element-permitted-occurrences': 'error',
  'element-permitted-order': 'error',
  'element-required-attributes': 'error',
  'input-attributes': 'error',
  'meta-refresh': 'error',
  'no-deprecated-attr': 'error',
  'no-redundant-role': 'error',
  'no-unused-disable': 'error',
  'unrecognized-char-ref': 'error',
  'void-content': 'error',
  'vue/no-use-v-if-with-v-for': 'error',
  'vue/require-v-for-key': 'error',
} as const;

/**
 * The content of `<template>`, with everything else blank, expressions masked and components
 * renamed to unknown elements: `<Button>{{ a }}</Button>` → `<x-xxxx>_______</x-xxxx>`. The length
 * stays the same. Undefined if there is no template, or it has a `lang`.
 */
export function readTemplate(component: string): string | undefined {
  const text = maskExpressions(component, true).replaceAll(
    /<(script|style)\b[^<>]*>[^]*?(?:<\/\1\s*>|$)/gi,
    blankText,
  );
  const from = text.search(/^<template[\s>]/m);
  const opening = /^<template\b[^>]*>/.exec(text.slice(Math.max(from, 0)))?.[0] ?? '';
  const to = text.lastIndexOf('</template');
  if (from === -1 || to < from + opening.length || /\slang=/.test(opening)) return undefined;
  const markup = text.slice(from + opening.length, to);
  return (
    blankText(text.slice(0, from + opening.length)) +
    markup.replaceAll(/(?<=<\/?)[A-Z][\w.]*/g, ({ length }) =>
      'x-'.padEnd(length, 'x').slice(0, length),
    ) +
    blankText(text.slice(to))
  );
}

/** Treats `:a` and `v-bind:a` as the attribute `a` with an unknown value. */
export const templateHooks: SourceHooks = {
  *processAttribute(attribute: AttributeData) {
    yield attribute;
    const name = /^(?:v-bind)?:([\w-]+)/.exec(attribute.key)?.[1];
    if (name === undefined) return;
    const value = new DynamicValue(String(attribute.value ?? ''));
    yield { ...attribute, key: name, value, originalAttribute: attribute.key };
  },
};

abstract class VueLoopRule extends Rule {
  abstract find(element: HtmlElement): string | undefined;

  setup(): void {
    this.on('element:ready', ({ target }) => {
      const loop = target.getAttribute('v-for');
      const message = loop && this.find(target);
      if (message) this.report(target, message, loop.keyLocation);
    });
  }
}

/** https://vuejs.org/style-guide/rules-essential.html#use-keyed-v-for */
class RequireKeyRule extends VueLoopRule {
  find(element: HtmlElement): string | undefined {
    const keyed = element.tagName === 'template' ? [element, ...element.childElements] : [element];
    return keyed.some((each) => each.hasAttribute('key') || each.tagName === 'slot')
      ? undefined
      : 'Elements with “v-for” need a “:key” so that Vue can track them.';
  }
}

/** https://vuejs.org/style-guide/rules-essential.html#avoid-v-if-with-v-for */
class NoIfWithForRule extends VueLoopRule {
  find(element: HtmlElement): string | undefined {
    return element.hasAttribute('v-if')
      ? '“v-if” runs before “v-for”. Move one of them to a wrapping “<template>”.'
      : undefined;
  }
}

/** html-validate plugin with the rules of Vue's style guide. */
export const vueRules = definePlugin({
  name: 'vue',
  rules: { 'vue/require-v-for-key': RequireKeyRule, 'vue/no-use-v-if-with-v-for': NoIfWithForRule },
});
