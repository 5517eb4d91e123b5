import type { HTMLDataV1 } from 'vscode-html-languageservice';

const attribute = (name: string, description: string) => ({ name, description });
const tag = (name: string, description: string, ...attributes: ReturnType<typeof attribute>[]) => ({
  name,
  description,
  attributes,
});

/** Svelte's additions to HTML: https://svelte.dev/docs/svelte */
export const svelteWords: HTMLDataV1 = {
  version: 1.1,
  tags: [
    tag('svelte:head', 'Puts its content into the page’s head.'),
    tag('svelte:window', 'Listens to the window.'),
    tag('svelte:document', 'Listens to the document.'),
    tag('svelte:body', 'Listens to the body.'),
    tag(
      'svelte:element',
      'An element that a value names.',
      attribute('this', 'The element’s name.'),
    ),
    tag('svelte:boundary', 'Shows something else when what is in it fails or waits.'),
    tag(
      'svelte:options',
      'How the component is compiled.',
      attribute('runes', 'With runes, or without.'),
      attribute('customElement', 'The name of the custom element that it becomes.'),
    ),
  ],
  globalAttributes: [
    attribute('bind:this', 'The variable that holds the element.'),
    attribute('bind:value', 'Joins a field and a variable: each follows the other.'),
    attribute('bind:checked', 'Joins a checkbox and a variable.'),
    attribute('bind:group', 'Joins a group of radio buttons or checkboxes and a variable.'),
    attribute('bind:clientWidth', 'Holds how wide the element is.'),
    attribute('bind:clientHeight', 'Holds how high the element is.'),
    attribute('bind:innerHTML', 'Joins what is written in an editable element and a variable.'),
    attribute('class:name', 'Has this class while its value is true.'),
    attribute('style:name', 'Sets this property.'),
    attribute('use:action', 'Calls this with the element when it is there.'),
    attribute('transition:fade', 'Moves the element as it enters and leaves.'),
    attribute('in:fade', 'Moves the element as it enters.'),
    attribute('out:fade', 'Moves the element as it leaves.'),
    attribute('animate:flip', 'Moves the elements of a keyed list to their new places.'),
    attribute('{@attach}', 'Calls a function with the element when it is there.'),
  ],
};
