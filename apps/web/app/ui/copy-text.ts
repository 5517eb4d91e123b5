import { VitrineError } from '@vitrine/project';

/**
 * Copies text to the clipboard, also in an insecure context, which has no `navigator.clipboard`.
 * Rejects with `clipboard_denied` if the browser doesn't allow it.
 */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return;
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'NotAllowedError')) throw error;
      throw new VitrineError('clipboard_denied', 'clipboard.writeText', { cause: error });
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  // While a dialog is open, elements outside it can't be focused or selected.
  const parent = document.activeElement?.parentElement ?? document.body;
  parent.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied) throw new VitrineError('clipboard_denied', 'execCommand');
}
