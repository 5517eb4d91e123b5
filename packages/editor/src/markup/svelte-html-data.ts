import type { HTMLDataV1 } from 'vscode-html-languageservice';

const attribute = (name: string, description: string) => ({ name, description });
const tag = (name: string, description: string, ...attributes: ReturnType<typeof attribute>[]) => ({
  name,
  description,
  attributes,
});

/** Svelte's additions to HTML: https://svelte.dev/docs/svelte */
export const svelteHtmlData: HTMLDataV1 = {
  version: 1.1,
  tags: [
    tag('svelte:head', 'Adds its content to the document head.'),
    tag('svelte:window', 'Adds event listeners and bindings to window.'),
    tag('svelte:document', 'Adds event listeners and bindings to document.'),
    tag('svelte:body', 'Adds event listeners to document.body.'),
    tag(
      'svelte:element',
      'Renders an element whose tag name is dynamic.',
      attribute('this', 'Tag name of the element.'),
    ),
    tag('svelte:boundary', 'Error boundary with a fallback for errors and pending content.'),
    tag(
      'svelte:options',
      'Compiler options of this component.',
      attribute('runes', 'Whether the component is in runes mode.'),
      attribute('customElement', 'Tag name when compiled as a custom element.'),
    ),
  ],
  globalAttributes: [
    attribute('bind:this', 'Binds the element to a variable.'),
    attribute('bind:value', 'Two-way binding of an input’s value.'),
    attribute('bind:checked', 'Two-way binding of a checkbox.'),
    attribute('bind:group', 'Two-way binding of a group of radio buttons or checkboxes.'),
    attribute('bind:clientWidth', 'Binds the element’s width (read-only).'),
    attribute('bind:clientHeight', 'Binds the element’s height (read-only).'),
    attribute('bind:innerHTML', 'Two-way binding of a contenteditable element’s HTML.'),
    attribute('class:name', 'Sets this class while the value is truthy.'),
    attribute('style:name', 'Sets this style property.'),
    attribute('use:action', 'Calls the action when the element is mounted.'),
    attribute('transition:fade', 'Plays a transition when the element is added or removed.'),
    attribute('in:fade', 'Plays a transition when the element is added.'),
    attribute('out:fade', 'Plays a transition when the element is removed.'),
    attribute('animate:flip', 'Animates items in a keyed each block when they’re reordered.'),
    attribute('{@attach}', 'Calls the function when the element is mounted.'),
  ],
};
