/**
 * Developer tools of a preview: network, accessibility checks, screenshots, DevTools, media emulation. A
 * tool's script is loaded into a document when it is first used, and set up again in each new document.
 */
import { noMediaEmulation, type MediaEmulation } from '../media-emulation.ts';
import type { NetworkRule } from '../network-rules.ts';
import type { PreviewHost } from '../preview-host.ts';
import type { FromFrame } from '../protocol.ts';
import type { ToolName, ToTool } from '../tool-messages.ts';
import { createDevtools } from './devtools.ts';
import { createAccessibility, type AccessibilityReport } from './accessibility.ts';
import type { CompileQueue } from './compile-queue.ts';
import { createNetwork, type NetworkLog } from './network.ts';
import type { ModuleStore } from './module-store.ts';

interface InspectionOptions {
  compileQueue: CompileQueue;
  moduleStore: ModuleStore;
  previewHost: PreviewHost;
  key: string;
  page(): string | null;
  onNetwork(log: NetworkLog): void;
  onAccessibility(report: AccessibilityReport): void;
  send(message: ToTool, ports?: MessagePort[]): void;
  reload(): void;
  sendNetworkRules(rules: NetworkRule[]): void;
}

/** A screenshot of the visible part of the page, or the failure to take one. */
export type Screenshot =
  { status: 'taken'; png: ArrayBuffer; undrawn: readonly string[] } | { status: 'failed' };

const screenshotTimeoutMs = 30_000;

export function createInspection(o: InspectionOptions) {
  let emulation = noMediaEmulation;
  const emulationTools = (): ('dark' | 'light' | 'still')[] => [
    ...(emulation.colorScheme ? [emulation.colorScheme] : []),
    ...(emulation.reducedMotion ? ['still' as const] : []),
  ];
  /** Resolves the pending screenshot. */
  let resolveScreenshot: ((picture: Screenshot) => void) | undefined;
  const network = createNetwork({
    compileQueue: o.compileQueue,
    onChange: o.onNetwork,
    send: (message) => o.send({ tool: 'network', said: message }),
    sendToServiceWorker: o.sendNetworkRules,
  });
  const accessibility = createAccessibility({
    compileQueue: o.compileQueue,
    moduleStore: o.moduleStore,
    page: o.page,
    onChange: o.onAccessibility,
    send: (message) => o.send({ tool: 'accessibility', said: message }),
  });

  const devtools = createDevtools({
    previewHost: o.previewHost,
    key: o.key,
    send: (message, ports) => o.send({ tool: 'devtools', said: message }, ports),
    reload: o.reload,
  });

  return {
    network,
    accessibility,
    devtools,
    /** Tools that the next document has to load before its own scripts. */
    scripts(): ToolName[] {
      return [
        ...(network.isWatching ? ['network' as const] : []),
        ...(devtools.isOpen ? ['devtools' as const] : []),
        ...emulationTools(),
      ];
    },
    /** Sets the emulation for the next document, which the caller loads; false if nothing changed. */
    setMediaEmulation(next: MediaEmulation): boolean {
      const before = emulationTools().join();
      emulation = next;
      return emulationTools().join() !== before;
    },
    /** Takes a screenshot; one at a time. */
    takeScreenshot(): Promise<Screenshot> {
      resolveScreenshot?.({ status: 'failed' });
      return new Promise((resolve) => {
        const timeout = setTimeout(
          () => resolveScreenshot?.({ status: 'failed' }),
          screenshotTimeoutMs,
        );
        resolveScreenshot = (picture) => {
          clearTimeout(timeout);
          resolveScreenshot = undefined;
          resolve(picture);
        };
        o.send({ tool: 'picture', said: { type: 'take' } });
      });
    },
    onMessage(message: FromFrame): void {
      switch (message.type) {
        case 'requests':
        case 'details':
          network.onMessage(message);
          break;
        case 'looking':
        case 'findings':
        case 'not-looked':
          accessibility.onMessage(message);
          break;
        case 'picture':
          resolveScreenshot?.({ status: 'taken', png: message.png, undrawn: message.undrawn });
          break;
        case 'no-picture':
          resolveScreenshot?.({ status: 'failed' });
          break;
        case 'tool-missing':
          if (message.tool === 'picture') resolveScreenshot?.({ status: 'failed' });
          if (message.tool === 'devtools') devtools.onBlocked();
          if (message.tool === 'accessibility') {
            const sentence =
              'Couldn’t run the accessibility checks. The page’s Content Security Policy may block them, or you may be offline.';
            accessibility.onMessage({ type: 'not-looked', sentence });
          }
          break;
        default:
          break;
      }
    },
    /** Handles a new document. */
    beginDocument(): void {
      resolveScreenshot?.({ status: 'failed' });
      network.beginDocument();
      accessibility.beginDocument();
      devtools.beginDocument();
      for (const tool of emulationTools()) o.send({ tool, said: { type: 'pretend' } });
    },
    close(): void {
      network.close();
      devtools.close();
    },
  };
}
