import type { HTMLDataV1 } from 'vscode-html-languageservice';

const attribute = (name: string, description: string, valueSet?: string) => ({
  name,
  description,
  ...(valueSet !== undefined && { valueSet }),
});

/** Vue's additions to HTML: https://vuejs.org/api/built-in-directives.html and related pages. */
export const vueWords: HTMLDataV1 = {
  version: 1.1,
  tags: [
    {
      name: 'template',
      description: 'The component’s markup, or a group without an element.',
      attributes: [],
    },
    {
      name: 'slot',
      description: 'Where what stands between a component’s tags is shown.',
      attributes: [attribute('name', 'Tells one slot from another.')],
    },
    {
      name: 'component',
      description: 'A component or element that a value names.',
      attributes: [attribute('is', 'The component, or the name of the element.')],
    },
    {
      name: 'Transition',
      description: 'Moves one element as it enters and leaves.',
      attributes: [
        attribute('name', 'Begins the names of its classes.'),
        attribute('mode', 'Which of the two goes first.'),
        attribute('appear', 'Also as it is first shown.', 'v'),
      ],
    },
    {
      name: 'TransitionGroup',
      description: 'Moves the elements of a list as they enter, leave and change places.',
      attributes: [
        attribute('tag', 'The element around them.'),
        attribute('name', 'Begins the names of its classes.'),
      ],
    },
    {
      name: 'KeepAlive',
      description: 'Keeps components that are not shown, with their state.',
      attributes: [
        attribute('include', 'Which ones.'),
        attribute('exclude', 'Which ones not.'),
        attribute('max', 'How many.'),
      ],
    },
    {
      name: 'Teleport',
      description: 'Puts its content elsewhere in the page.',
      attributes: [
        attribute('to', 'The selector of that place.'),
        attribute('disabled', 'Leaves it here.', 'v'),
      ],
    },
    {
      name: 'Suspense',
      description: 'Shows something else while what is in it loads.',
      attributes: [],
    },
  ],
  globalAttributes: [
    attribute('v-if', 'Is in the page only while this is true.'),
    attribute('v-else-if', 'Else, while this is true.'),
    attribute('v-else', 'Where the ones before were not true.', 'v'),
    attribute('v-show', 'Is shown only while this is true; it stays in the page.'),
    attribute('v-for', 'Once for each: item in items.'),
    attribute('v-on', 'Calls this when something happens, as v-on:click or @click.'),
    attribute('v-bind', 'Sets an attribute to the value of this, as v-bind:src or :src.'),
    attribute('v-model', 'Joins a field and a value: each follows the other.'),
    attribute('v-slot', 'What a slot is given, as v-slot:name or #name.'),
    attribute('v-text', 'The text of the element.'),
    attribute('v-html', 'The markup in the element. Never of what others wrote.'),
    attribute('v-pre', 'Is shown as it is written.', 'v'),
    attribute('v-once', 'Is rendered once, and never again.', 'v'),
    attribute('v-memo', 'Is rendered again when one of these changes.'),
    attribute('v-cloak', 'Is here until the component is ready.', 'v'),
    attribute('ref', 'The name by which a script finds the element.'),
    attribute('key', 'Tells this one from its siblings.'),
    attribute(':key', 'Tells this one from its siblings.'),
    attribute(':class', 'Classes by a value: a text, a list, or an object of those that are on.'),
    attribute(':style', 'Declarations by a value.'),
    attribute(':ref', 'Is called with the element.'),
    attribute('is', 'The component that stands in for this element.'),
    ...'click submit input change keydown keyup focus blur pointerdown pointermove pointerup mouseenter mouseleave scroll'
      .split(' ')
      .map((event) => attribute(`@${event}`, `Is called on ${event}.`)),
    ...'src href alt id value checked disabled type placeholder title width height'
      .split(' ')
      .map((name) => attribute(`:${name}`, `${name} by a value.`)),
  ],
};
