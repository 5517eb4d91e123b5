/**
 * Copies text to the clipboard, also in an insecure context, which has no `navigator.clipboard`.
 */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  // While a dialog is open, elements outside it can't be focused or selected.
  const parent = document.activeElement?.parentElement ?? document.body;
  parent.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
