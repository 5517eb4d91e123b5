import type { HTMLDataV1 } from 'vscode-html-languageservice';

const attribute = (name: string, description: string, valueSet?: string) => ({
  name,
  description,
  ...(valueSet !== undefined && { valueSet }),
});

/** Vue's additions to HTML: https://vuejs.org/api/built-in-directives.html and related pages. */
export const vueHtmlData: HTMLDataV1 = {
  version: 1.1,
  tags: [
    {
      name: 'template',
      description: 'The component’s template, or a wrapper that renders no element.',
      attributes: [],
    },
    {
      name: 'slot',
      description: 'Outlet for content passed by the parent component.',
      attributes: [attribute('name', 'Name of the slot.')],
    },
    {
      name: 'component',
      description: 'Renders a dynamic component or element.',
      attributes: [attribute('is', 'The component or tag name to render.')],
    },
    {
      name: 'Transition',
      description: 'Animates a single element or component when it enters or leaves.',
      attributes: [
        attribute('name', 'Prefix of the transition classes.'),
        attribute('mode', 'Whether the leaving or the entering element goes first.'),
        attribute('appear', 'Also applies to the initial render.', 'v'),
      ],
    },
    {
      name: 'TransitionGroup',
      description: 'Animates list items when they enter, leave, or move.',
      attributes: [
        attribute('tag', 'Tag name of the wrapper element.'),
        attribute('name', 'Prefix of the transition classes.'),
      ],
    },
    {
      name: 'KeepAlive',
      description: 'Caches inactive components with their state.',
      attributes: [
        attribute('include', 'Names of components to cache.'),
        attribute('exclude', 'Names of components not to cache.'),
        attribute('max', 'Maximum number of cached components.'),
      ],
    },
    {
      name: 'Teleport',
      description: 'Renders its content in another part of the document.',
      attributes: [
        attribute('to', 'Selector of the target element.'),
        attribute('disabled', 'Renders the content in place instead.', 'v'),
      ],
    },
    {
      name: 'Suspense',
      description: 'Shows a fallback while async components load.',
      attributes: [],
    },
  ],
  globalAttributes: [
    attribute('v-if', 'Renders the element only if the expression is truthy.'),
    attribute(
      'v-else-if',
      'Renders the element if the preceding conditions were falsy and this one is truthy.',
    ),
    attribute('v-else', 'Renders the element if the preceding conditions were falsy.', 'v'),
    attribute('v-show', 'Toggles the element’s visibility with display: none.'),
    attribute('v-for', 'Renders the element for each item: item in items.'),
    attribute('v-on', 'Adds an event listener: v-on:click or @click.'),
    attribute('v-bind', 'Binds an attribute to an expression: v-bind:src or :src.'),
    attribute('v-model', 'Two-way binding of an input or component.'),
    attribute('v-slot', 'Content for a named slot: v-slot:name or #name.'),
    attribute('v-text', 'Sets the element’s text content.'),
    attribute('v-html', 'Sets the element’s innerHTML. Don’t use it with untrusted content.'),
    attribute('v-pre', 'Skips compilation of the element and its children.', 'v'),
    attribute('v-once', 'Renders the element only once.', 'v'),
    attribute('v-memo', 'Re-renders the element only when a dependency changes.'),
    attribute(
      'v-cloak',
      'Removed when the component is mounted, to hide uncompiled templates.',
      'v',
    ),
    attribute('ref', 'Registers a template ref.'),
    attribute('key', 'Identifies the element among its siblings.'),
    attribute(':key', 'Identifies the element among its siblings.'),
    attribute(':class', 'Binds classes: a string, an array, or an object of toggles.'),
    attribute(':style', 'Binds inline styles.'),
    attribute(':ref', 'Function called with the element.'),
    attribute('is', 'The component to render in place of this element.'),
    ...'click submit input change keydown keyup focus blur pointerdown pointermove pointerup mouseenter mouseleave scroll'
      .split(' ')
      .map((event) => attribute(`@${event}`, `Listens to ${event} events.`)),
    ...'src href alt id value checked disabled type placeholder title width height'
      .split(' ')
      .map((name) => attribute(`:${name}`, `Binds ${name} to an expression.`)),
  ],
};
