import { base, keyName } from 'w3c-keyname';

/*
 * Keys by name: modifiers in one order, then the key, as in `Mod-Alt-Shift-x`. `Mod` is Cmd on a Mac
 * and Ctrl elsewhere, so that what is chosen on one machine fits the other. Letters are small.
 */

const order = ['Mod', 'Ctrl', 'Meta', 'Alt', 'Shift'] as const;
type Modifier = (typeof order)[number];

/** True where Cmd is the key of commands. */
export function isMac(): boolean {
  return typeof navigator !== 'undefined' && /Mac|iP(?:hone|ad)/.test(navigator.platform);
}

/** `Shift-Ctrl-P` → `Mod-Shift-p`, or `Ctrl-Shift-p` on a Mac. */
export function nameKeys(keys: string, mac = isMac()): string {
  const parts = keys.split(/-(?!$)/);
  const key = parts.pop() ?? '';
  const held = new Set(parts.map((part) => nameModifier(part, mac)));
  return join(held, /^[A-Z]$/.test(key) ? key.toLowerCase() : key);
}

function nameModifier(part: string, mac: boolean): string {
  if (part === 'Cmd') return mac ? 'Mod' : 'Meta';
  if (part === (mac ? 'Meta' : 'Ctrl')) return 'Mod';
  return part;
}

function join(held: ReadonlySet<string>, key: string): string {
  return [...order.filter((modifier) => held.has(modifier)), key].join('-');
}

/**
 * The names of a press, the plainest last. There are two where Shift or Alt made a sign of a key:
 * Ctrl+Shift+7 is `Mod-/` where slash is above the seven, and `Mod-Shift-7`. None for a modifier alone,
 * and none for AltGr, which types signs.
 */
export function namesOfPress(event: KeyboardEvent, mac = isMac()): readonly string[] {
  if (event.getModifierState('AltGraph')) return [];
  const name = keyName(event);
  if (/^(?:Shift|Control|Alt|Meta|AltGraph|Dead|Unidentified|Process)$/.test(name)) return [];
  const held = heldBy(event, mac);
  if (name.length > 1) return [join(held, name)];
  const isCommand = held.has('Mod') || held.has('Ctrl') || held.has('Meta') || held.has('Alt');
  const plain = base[event.keyCode];
  const letter = name.toLowerCase();
  if (!isCommand || plain === undefined || plain === letter)
    return [join(isCommand ? held : without(held, 'Shift'), isCommand ? letter : name)];
  const asSign = join(without(held, 'Shift'), letter);
  const isChanged = event.shiftKey || event.altKey || event.metaKey || name.charCodeAt(0) > 127;
  return isChanged ? [asSign, join(held, plain)] : [asSign];
}

function heldBy(event: KeyboardEvent, mac: boolean): Set<string> {
  const held = new Set<Modifier>();
  if (event.ctrlKey) held.add(mac ? 'Ctrl' : 'Mod');
  if (event.metaKey) held.add(mac ? 'Mod' : 'Meta');
  if (event.altKey) held.add('Alt');
  if (event.shiftKey) held.add('Shift');
  return held;
}

function without(held: ReadonlySet<string>, name: string): Set<string> {
  const others = new Set(held);
  others.delete(name);
  return others;
}

const shownOnMac: Readonly<Record<string, string>> = {
  Mod: '⌘',
  Ctrl: '⌃',
  Alt: '⌥',
  Shift: '⇧',
};
const shownKeys: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  ' ': 'Space',
};

/** `Mod-Shift-p` → “Ctrl+Shift+P”, or “⇧⌘P” on a Mac. */
export function showKeys(keys: string, mac = isMac()): string {
  const parts = nameKeys(keys, mac).split(/-(?!$)/);
  const key = parts.pop() ?? '';
  const shown = shownKeys[key] ?? (key.length === 1 ? key.toUpperCase() : key);
  if (mac)
    return [
      ...['Ctrl', 'Alt', 'Shift', 'Mod']
        .filter((each) => parts.includes(each))
        .map((each) => shownOnMac[each] ?? each),
      shown,
    ].join('');
  return [...parts.map((part) => (part === 'Mod' ? 'Ctrl' : part)), shown].join('+');
}

/** Ctrl and Alt with a letter type a sign on many keyboards, so that no command is bound to them. */
export function typesSigns(keys: string, mac = isMac()): boolean {
  return !mac && /^Mod-Alt-(?:Shift-)?[^-]$/u.test(nameKeys(keys, mac));
}
