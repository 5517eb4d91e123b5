/**
 * What is said between the host and the frame's tools: scripts that a document loads only when they
 * are first wanted. They run in the page's realm, so what they say is read like everything from there.
 */
import type { AccessibilitySaid, ToAccessibility } from './accessibility-messages.ts';
import { parseAccessibilitySaid } from './accessibility-messages.ts';
import { isRecord } from './console-values.ts';
import type { ToDevtoolsTool } from './devtools-messages.ts';
import { parseNetworkSaid, type NetworkSaid, type ToNetwork } from './network-messages.ts';

/** Each has a script of its own, frame/NAME.ts, at `/__vitrine/NAME.js`. */
export const toolNames = [
  'network',
  'accessibility',
  'picture',
  'devtools',
  'dark',
  'light',
  'still',
] as const;
export type ToolName = (typeof toolNames)[number];

/** host → frame, in a `tool` message: the first one for a tool loads it. */
export type ToTool =
  | { tool: 'network'; said: ToNetwork }
  | { tool: 'accessibility'; said: ToAccessibility }
  /** Draw what is seen of the page. */
  | { tool: 'picture'; said: { type: 'take' } }
  | { tool: 'devtools'; said: ToDevtoolsTool }
  /** Let the page believe that this is what its visitor wants, until it goes. */
  | { tool: 'dark' | 'light' | 'still'; said: { type: 'pretend' } };

/** frame → host. */
export type ToolSaid = NetworkSaid | AccessibilitySaid | PictureSaid | ToolMissing;

export type PictureSaid =
  /** `undrawn` says in few words what of the page is not in it: "2 pictures of other hosts". */
  { type: 'picture'; png: ArrayBuffer; undrawn: string[] } | { type: 'no-picture' };

/** The page, by a policy of its own or for want of the network, did not let the tool's script in. */
export interface ToolMissing {
  type: 'tool-missing';
  tool: ToolName;
}

export function findToolName(input: unknown): ToolName | undefined {
  return toolNames.find((name) => name === input);
}

export function parseToolSaid(input: unknown): ToolSaid | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['type']) {
    case 'no-picture':
      return { type: 'no-picture' };
    case 'picture':
      return parsePicture(input);
    case 'tool-missing': {
      const tool = findToolName(input['tool']);
      return tool && { type: 'tool-missing', tool };
    }
    default:
      return parseNetworkSaid(input) ?? parseAccessibilitySaid(input);
  }
}

const pictureBytes = 40 * 1024 * 1024;
const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Bytes that begin as a PNG does; they are only ever saved as one. */
function parsePicture({ png, undrawn }: Record<string, unknown>): PictureSaid | undefined {
  if (!(png instanceof ArrayBuffer) || png.byteLength > pictureBytes) return undefined;
  const start = new Uint8Array(png, 0, Math.min(png.byteLength, pngSignature.length));
  if (!pngSignature.every((byte, index) => start[index] === byte)) return undefined;
  if (!Array.isArray(undrawn) || undrawn.length > 5) return undefined;
  const words = undrawn.filter((each) => typeof each === 'string' && each.length <= 80);
  return words.length === undrawn.length ? { type: 'picture', png, undrawn: words } : undefined;
}
