/** Copies a text, also where the page is no secure context and so has no clipboard. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  // Inside an open dialog, whatever is outside can take no focus and so no selection.
  const parent = document.activeElement?.parentElement ?? document.body;
  parent.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
