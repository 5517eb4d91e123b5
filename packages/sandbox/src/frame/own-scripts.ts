import { scriptAddresses } from './environment.ts';

/**
 * Runs one of our own scripts that are not needed at once; done when it has run. Rejects where it
 * cannot be loaded. The element leaves no trace in the page.
 */
export function runOwnScript(
  name: Exclude<keyof typeof scriptAddresses, 'console-answers' | 'worker-console'>,
  base: string,
): Promise<void> {
  const script = document.createElement('script');
  script.src = new URL(scriptAddresses[name], base).href;
  return new Promise((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${script.src} could not be loaded`));
    document.head.append(script);
    script.remove();
  });
}
