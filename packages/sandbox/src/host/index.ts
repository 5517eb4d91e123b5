export { mount, type MountOptions, type Preview } from './mount.ts';
export type {
  MissingPackage,
  PreviewEvent,
  PreviewState,
  Problem,
  Whereabouts,
} from './preview-state.ts';
export type { AccessibilityReport, PlacedElement, PlacedFinding } from './accessibility.ts';
export type { NetworkLog } from './network.ts';
export type { Picture } from './inspection.ts';
export type { ConsoleLine } from './console-log.ts';
export type { FoundElement, Impact } from '../accessibility-messages.ts';
export { parseTypedAddress } from '../address-messages.ts';
export type { RequestDetails, SeenRequest } from '../network-messages.ts';
export { ruleLimits, type NetworkRule, type RuleEffect } from '../network-rules.ts';
export { noWishes, type Wishes } from '../wishes.ts';
