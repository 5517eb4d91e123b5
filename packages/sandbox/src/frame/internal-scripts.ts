import { scriptUrls } from './environment.ts';

/**
 * Runs one of our own scripts that load on demand. Resolves when it has run; rejects if it fails to load. The
 * script element is removed from the page.
 */
export function runInternalScript(
  name: Exclude<keyof typeof scriptUrls, 'console-answers' | 'worker-console'>,
  base: string,
): Promise<void> {
  const script = document.createElement('script');
  script.src = new URL(scriptUrls[name], base).href;
  return new Promise((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${script.src} could not be loaded`));
    document.head.append(script);
    script.remove();
  });
}
