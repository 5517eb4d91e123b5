export { mount, type MountOptions, type Preview } from './mount.ts';
export type {
  MissingPackage,
  PreviewEvent,
  PreviewState,
  Problem,
  Whereabouts,
} from './preview-state.ts';
export type { AccessibilityReport, PlacedElement, PlacedFinding } from './accessibility.ts';
export type { DevtoolsState, DevtoolsView } from './devtools.ts';
export type { NetworkLog } from './network.ts';
export type { Picture } from './inspection.ts';
export type { ConsoleLine } from './console-log.ts';
export type { PageAnswer, PageAsk, PreviewConsole } from './preview-console.ts';
export type {
  ConsoleMember,
  ConsoleObject,
  ConsoleStyle,
  ConsoleValue,
} from '../console-values.ts';
export type { RunMode } from './run-mode.ts';
export type { Impact } from '../accessibility-messages.ts';
export type { BodyText, RequestDetails, SeenRequest } from '../network-messages.ts';
