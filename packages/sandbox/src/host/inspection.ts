/**
 * The tools that a preview can be looked at with. None of them is in a document before somebody asks
 * for it, and all of them are told anew in each document.
 */
import { noGuise, type Guise } from '../guise.ts';
import type { NetworkRule } from '../network-rules.ts';
import type { Place } from '../place.ts';
import type { FromFrame } from '../protocol.ts';
import type { ToolName, ToTool } from '../tool-messages.ts';
import { createDevtools } from './devtools.ts';
import { createAccessibility, type AccessibilityReport } from './accessibility.ts';
import type { Intake } from './intake.ts';
import { createNetwork, type NetworkLog } from './network.ts';
import type { Sources } from './sources.ts';

export interface InspectionOptions {
  intake: Intake;
  sources: Sources;
  place: Place;
  key: string;
  page(): string | null;
  onNetwork(log: NetworkLog): void;
  onAccessibility(report: AccessibilityReport): void;
  say(message: ToTool, ports?: MessagePort[]): void;
  reload(): void;
  relayRules(rules: NetworkRule[]): void;
}

/** A picture of what is seen of the page, or why there is none. */
export type Picture =
  { status: 'taken'; png: ArrayBuffer; undrawn: readonly string[] } | { status: 'failed' };

const pictureWithinMs = 30_000;

export function createInspection(o: InspectionOptions) {
  let guise = noGuise;
  const guiseTools = (): ('dark' | 'light' | 'still')[] => [
    ...(guise.scheme ? [guise.scheme] : []),
    ...(guise.isStill ? ['still' as const] : []),
  ];
  /** Who waits for a picture. */
  let endPicture: ((picture: Picture) => void) | undefined;
  const network = createNetwork({
    intake: o.intake,
    onChange: o.onNetwork,
    say: (said) => o.say({ tool: 'network', said }),
    relayRules: o.relayRules,
  });
  const accessibility = createAccessibility({
    intake: o.intake,
    sources: o.sources,
    page: o.page,
    onChange: o.onAccessibility,
    say: (said) => o.say({ tool: 'accessibility', said }),
  });

  const devtools = createDevtools({
    place: o.place,
    key: o.key,
    say: (said, ports) => o.say({ tool: 'devtools', said }, ports),
    reload: o.reload,
  });

  return {
    network,
    accessibility,
    devtools,
    /** What the next document begins with, in front of what runs in it. */
    scripts(): ToolName[] {
      return [
        ...(network.isWatching ? ['network' as const] : []),
        ...(devtools.isOpen ? ['devtools' as const] : []),
        ...guiseTools(),
      ];
    },
    /** They hold for the next document, which the caller loads; false where nothing has changed. */
    setGuise(next: Guise): boolean {
      const before = guiseTools().join();
      guise = next;
      return guiseTools().join() !== before;
    },
    /** Draws what is seen of the page; one at a time. */
    takePicture(): Promise<Picture> {
      endPicture?.({ status: 'failed' });
      return new Promise((resolve) => {
        const tooLate = setTimeout(() => endPicture?.({ status: 'failed' }), pictureWithinMs);
        endPicture = (picture) => {
          clearTimeout(tooLate);
          endPicture = undefined;
          resolve(picture);
        };
        o.say({ tool: 'picture', said: { type: 'take' } });
      });
    },
    hear(message: FromFrame): void {
      switch (message.type) {
        case 'requests':
        case 'details':
          network.hear(message);
          break;
        case 'looking':
        case 'findings':
        case 'not-looked':
          accessibility.hear(message);
          break;
        case 'picture':
          endPicture?.({ status: 'taken', png: message.png, undrawn: message.undrawn });
          break;
        case 'no-picture':
          endPicture?.({ status: 'failed' });
          break;
        case 'tool-missing':
          if (message.tool === 'picture') endPicture?.({ status: 'failed' });
          if (message.tool === 'devtools') devtools.hearMissing();
          if (message.tool === 'accessibility') {
            const sentence =
              'Couldn’t load the checks into this page. Its Content Security Policy forbids other scripts, or there is no connection.';
            accessibility.hear({ type: 'not-looked', sentence });
          }
          break;
        default:
          break;
      }
    },
    /** A new document is there to be spoken to. */
    begin(): void {
      endPicture?.({ status: 'failed' });
      network.begin();
      accessibility.begin();
      devtools.begin();
      for (const tool of guiseTools()) o.say({ tool, said: { type: 'pretend' } });
    },
    close(): void {
      network.close();
      devtools.close();
    },
  };
}
