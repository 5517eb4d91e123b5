import type { SourceLocation } from '../../protocol.ts';
import type { ToolName, ToTool } from '../../tool-messages.ts';
import type { ClickListeners } from '../click-listeners.ts';
import type { Connection } from '../connection.ts';
import type { FileLoads } from '../file-loads.ts';
import type { PositionMap } from '../positions.ts';

/** Requests failed by the user's network rules; empty while the network tool isn't loaded. */
export interface RuleFailures {
  /** Failed `fetch` calls, by the error that the page got. */
  readonly byError: WeakMap<object, FailedCall>;
  /** Pattern of the rule that failed a request of an element or import. */
  findServedRule(url: string): string | undefined;
}

export interface FailedCall {
  /** Pattern of the rule. */
  rule: string;
  /** Location of the call. */
  location: SourceLocation;
}

/** Services for a tool. */
export interface ToolContext {
  connection: Connection;
  positions: PositionMap;
  loads: FileLoads;
  clicks: ClickListeners;
  ruleFailures: RuleFailures;
  /** Whether the user has clicked, typed or dropped anything in this document. */
  hasInput: () => boolean;
  /** Marks a node that the tool adds to the document as ours. */
  markInternal(node: Node): void;
}

/** Handles messages of the host, with the ports that came along. */
export type ToolMessageHandler = (
  message: ToTool['message'],
  ports: readonly MessagePort[],
) => void;

/** Starts a tool in this document; returns its message handler. */
export type StartTool = (context: ToolContext) => ToolMessageHandler;

/** Event on the window with which a tool's script registers itself. */
export const toolEvent = 'vitrine-tool';

/** Registers a tool; called once by its script. Removes the script element. */
export function registerTool(name: ToolName, start: StartTool): void {
  document.currentScript?.remove();
  dispatchEvent(new CustomEvent(toolEvent, { detail: { name, start } }));
}
