/**
 * Messages between the host and the frame's tools: scripts that a document loads when they are first used.
 * They run in the page's realm, so their messages are parsed like everything from there.
 */
import { isRecord } from '@vitrine/project';
import type { AccessibilityMessage, ToAccessibility } from './accessibility-messages.ts';
import { parseAccessibilityMessage } from './accessibility-messages.ts';
import type { ToDevtoolsTool } from './devtools-messages.ts';
import { parseNetworkMessage, type NetworkMessage, type ToNetwork } from './network-messages.ts';

/** Each tool has a script of its own, frame/tools/NAME.ts, served at `/__vitrine/NAME.js`. */
export const toolNames = [
  'network',
  'accessibility',
  'screenshot',
  'devtools',
  'dark',
  'light',
  'reduced-motion',
] as const;
export type ToolName = (typeof toolNames)[number];

/**
 * What a screenshot is for: the user who asked for it, or the poster of the project, which others see. For a
 * poster the page must be as it opens, and idle.
 */
export type ScreenshotPurpose = (typeof screenshotPurposes)[number];
const screenshotPurposes = ['user', 'poster'] as const;

/** host → frame, in a `tool` message. The first message for a tool loads it. */
export type ToTool =
  | { tool: 'network'; message: ToNetwork }
  | { tool: 'accessibility'; message: ToAccessibility }
  /** Take a screenshot of the visible part of the page. */
  | { tool: 'screenshot'; message: { type: 'take'; purpose: ScreenshotPurpose } }
  | { tool: 'devtools'; message: ToDevtoolsTool }
  /** Emulate this media feature until the document unloads. */
  | { tool: 'dark' | 'light' | 'reduced-motion'; message: { type: 'emulate' } };

/** frame → host. */
export type ToolMessage =
  NetworkMessage | AccessibilityMessage | ScreenshotMessage | ToolMissingMessage;

type ScreenshotMessage =
  /** `undrawn` lists in a few words what is missing from the screenshot: "2 pictures of other hosts". */
  | { type: 'screenshot'; purpose: ScreenshotPurpose; png: ArrayBuffer; undrawn: string[] }
  | { type: 'screenshot-failed'; purpose: ScreenshotPurpose };

/** The tool's script failed to load, because of the page's policy or the network. */
interface ToolMissingMessage {
  type: 'tool-missing';
  tool: ToolName;
}

export function findToolName(input: unknown): ToolName | undefined {
  return toolNames.find((name) => name === input);
}

export function parseToolMessage(input: unknown): ToolMessage | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['type']) {
    case 'screenshot-failed': {
      const purpose = findPurpose(input['purpose']);
      return purpose && { type: 'screenshot-failed', purpose };
    }
    case 'screenshot':
      return parseScreenshot(input);
    case 'tool-missing': {
      const tool = findToolName(input['tool']);
      return tool && { type: 'tool-missing', tool };
    }
    default:
      return parseNetworkMessage(input) ?? parseAccessibilityMessage(input);
  }
}

const maxPngBytes = 40 * 1024 * 1024;
const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function findPurpose(input: unknown): ScreenshotPurpose | undefined {
  return screenshotPurposes.find((purpose) => purpose === input);
}

/**
 * Parses a screenshot. Bytes must start with the PNG signature. The user's are only ever saved as a file;
 * those of a poster are checked further before they are decoded.
 */
function parseScreenshot(message: Record<string, unknown>): ScreenshotMessage | undefined {
  const { png, undrawn } = message;
  const purpose = findPurpose(message['purpose']);
  if (!purpose) return undefined;
  if (!(png instanceof ArrayBuffer) || png.byteLength > maxPngBytes) return undefined;
  const start = new Uint8Array(png, 0, Math.min(png.byteLength, pngSignature.length));
  if (!pngSignature.every((byte, index) => start[index] === byte)) return undefined;
  if (!Array.isArray(undrawn) || undrawn.length > 5) return undefined;
  const words = undrawn.filter((each) => typeof each === 'string' && each.length <= 80);
  return words.length === undrawn.length
    ? { type: 'screenshot', purpose, png, undrawn: words }
    : undefined;
}
