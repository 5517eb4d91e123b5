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

/** Progress and results of the accessibility checks. */
export type AccessibilityReport =
  /** Nothing is being checked. */
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

/** An element with its location in the project's files; '' and 0 if unknown. */
export interface PlacedElement extends CodePlace {
  id: number;
  markup: string;
}

export interface Accessibility {
  /** Starts checking the page, now and after each change, or stops. */
  watch(isOn: boolean): void;
  /** Highlights an element of the latest findings; null removes the highlight. */
  outline(element: number | null): void;
}

export interface AccessibilityOptions {
  intake: Intake;
  sources: Sources;
  /** Path of the document shown; null if it isn't a page of the project. */
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
    ...locateElement({ id, markup, ...element }),
  });
  /** Locates an element: exactly where a framework reports it, otherwise by searching the page's HTML. */
  const locateElement = (element: FoundElement): CodePlace => {
    if (element.made.path !== '') return o.intake.locate(element.made);
    const path = o.page() ?? '';
    const text = o.sources.read(path);
    const index = text === undefined ? undefined : findElement(text, element);
    if (text === undefined || index === undefined) return { path: '', line: 0, column: 0 };
    return { path, ...positionAt(text, index) };
  };

  return {
    watch(isOn: boolean): void {
      if (isOn === isWatching) return;
      isWatching = isOn;
      o.say({ type: isOn ? 'watch' : 'rest' });
      o.onChange(isOn ? { status: 'looking', before: last } : { status: 'resting' });
    },
    outline: (element: number | null) => o.say({ type: 'outline', element }),
    onMessage(said: AccessibilitySaid): void {
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
    /** Handles a new document. */
    beginDocument(): void {
      if (isWatching) o.say({ type: 'watch' });
    },
  };
}
