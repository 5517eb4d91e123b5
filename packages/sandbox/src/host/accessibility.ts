import { positionAt } from '@vitrine/compiler';
import type {
  AccessibilitySaid,
  Finding,
  FoundElement,
  ToAccessibility,
} from '../accessibility-messages.ts';
import type { CodePlace } from '../protocol.ts';
import { findElement } from './find-element.ts';
import type { Intake } from './intake.ts';
import type { Sources } from './sources.ts';

/** How far looking at the page has come. */
export type AccessibilityReport =
  /** Nobody wants to know. */
  | { status: 'resting' }
  | { status: 'looking'; before: LookedAt | null }
  | ({ status: 'looked-at' } & LookedAt)
  | { status: 'failed'; sentence: string };

export interface LookedAt {
  checks: number;
  findings: readonly PlacedFinding[];
}

export interface PlacedFinding extends Omit<Finding, 'elements'> {
  elements: readonly PlacedElement[];
}

/** With the place in the project's files where it is written; '' and 0 where that cannot be told. */
export interface PlacedElement extends CodePlace {
  id: number;
  markup: string;
}

export interface Accessibility {
  /** Looks at the page, now and after each change, until told otherwise. */
  watch(isWanted: boolean): void;
  /** Draws an outline around an element of the newest findings. */
  outline(element: number | null): void;
}

export interface AccessibilityOptions {
  intake: Intake;
  sources: Sources;
  /** The path of the document that shows; null where it is none of the project's. */
  page(): string | null;
  onChange(report: AccessibilityReport): void;
  say(said: ToAccessibility): void;
}

export function createAccessibility(o: AccessibilityOptions) {
  let isWatching = false;
  let last: LookedAt | null = null;

  const place = ({ id, markup, ...element }: FoundElement): PlacedElement => ({
    id,
    markup,
    ...findPlace({ id, markup, ...element }),
  });
  /** What a framework says is exact; else the page's own text is searched. */
  const findPlace = (element: FoundElement): CodePlace => {
    if (element.made.path !== '') return o.intake.locate(element.made);
    const path = o.page() ?? '';
    const text = o.sources.read(path);
    const index = text === undefined ? undefined : findElement(text, element);
    if (text === undefined || index === undefined) return { path: '', line: 0, column: 0 };
    return { path, ...positionAt(text, index) };
  };

  return {
    watch(isWanted: boolean): void {
      if (isWanted === isWatching) return;
      isWatching = isWanted;
      o.say({ type: isWanted ? 'watch' : 'rest' });
      o.onChange(isWanted ? { status: 'looking', before: last } : { status: 'resting' });
    },
    outline: (element: number | null) => o.say({ type: 'outline', element }),
    hear(said: AccessibilitySaid): void {
      if (!isWatching) return;
      switch (said.type) {
        case 'looking':
          o.onChange({ status: 'looking', before: last });
          break;
        case 'findings':
          last = {
            checks: said.checks,
            findings: said.findings.map((finding) => ({
              ...finding,
              elements: finding.elements.map(place),
            })),
          };
          o.onChange({ status: 'looked-at', ...last });
          break;
        case 'not-looked':
          o.onChange({ status: 'failed', sentence: said.sentence });
          break;
      }
    },
    /** Another document is there. */
    begin(): void {
      if (isWatching) o.say({ type: 'watch' });
    },
  };
}
