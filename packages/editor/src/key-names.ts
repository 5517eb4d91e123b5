import { base, keyName } from 'w3c-keyname';

/*
 * Normalized key names: modifiers in a fixed order, then the key, as in `Mod-Alt-Shift-x`. `Mod` is
 * Cmd on a Mac and Ctrl elsewhere, so that a custom keybinding works on both. Letters are
 * lowercase.
 */

const modifierOrder = ['Mod', 'Ctrl', 'Meta', 'Alt', 'Shift'] as const;
type Modifier = (typeof modifierOrder)[number];

/** True where Cmd is the command modifier: macOS, iPadOS, iOS. */
export function isMac(): boolean {
  return typeof navigator !== 'undefined' && /Mac|iP(?:hone|ad)/.test(navigator.platform);
}

/** Normalizes a CodeMirror key name: `Shift-Ctrl-P` → `Mod-Shift-p`, or `Ctrl-Shift-p` on a Mac. */
export function normalizeKeys(keys: string, mac = isMac()): string {
  const parts = keys.split(/-(?!$)/);
  const key = parts.pop() ?? '';
  const modifiers = new Set(parts.map((part) => normalizeModifier(part, mac)));
  return join(modifiers, /^[A-Z]$/.test(key) ? key.toLowerCase() : key);
}

function normalizeModifier(part: string, mac: boolean): string {
  if (part === 'Cmd') return mac ? 'Mod' : 'Meta';
  if (part === (mac ? 'Meta' : 'Ctrl')) return 'Mod';
  return part;
}

function join(modifiers: ReadonlySet<string>, key: string): string {
  return [...modifierOrder.filter((modifier) => modifiers.has(modifier)), key].join('-');
}

/**
 * The key names that a key event can be bound under, the one without the typed character last.
 * There are two if Shift or Alt changed the character: Ctrl+Shift+7 is `Mod-/` on a keyboard with
 * the slash above the 7, and `Mod-Shift-7`. None for a modifier alone, and none for what types a
 * character.
 */
export function listKeyNames(event: KeyboardEvent, mac = isMac()): readonly string[] {
  if (isTypedWithAlt(event, mac)) return [];
  const name = keyName(event);
  if (/^(?:Shift|Control|Alt|Meta|AltGraph|Dead|Unidentified|Process)$/.test(name)) return [];
  const modifiers = readModifiers(event, mac);
  if (name.length > 1) return [join(modifiers, name)];
  const isCommand =
    modifiers.has('Mod') || modifiers.has('Ctrl') || modifiers.has('Meta') || modifiers.has('Alt');
  const baseKey = base[event.keyCode];
  const lowerName = name.toLowerCase();
  if (!isCommand || baseKey === undefined || baseKey === lowerName)
    return [
      join(isCommand ? modifiers : without(modifiers, 'Shift'), isCommand ? lowerName : name),
    ];
  const byCharacter = join(without(modifiers, 'Shift'), lowerName);
  const isChanged = event.shiftKey || event.altKey || event.metaKey || name.charCodeAt(0) > 127;
  return isChanged ? [byCharacter, join(modifiers, baseKey)] : [byCharacter];
}

/**
 * True for a key with AltGr, or with Option on a Mac, that types a character of the keyboard layout,
 * such as `@`, `[` or `ż`. Option with a key such as F5 or an arrow types nothing.
 */
export function isTypedWithAlt(event: KeyboardEvent, mac = isMac()): boolean {
  if (event.getModifierState('AltGraph')) return true;
  const { key, altKey, ctrlKey, metaKey } = event;
  return mac && altKey && !ctrlKey && !metaKey && (key.length === 1 || key === 'Dead');
}

function readModifiers(event: KeyboardEvent, mac: boolean): Set<string> {
  const modifiers = new Set<Modifier>();
  if (event.ctrlKey) modifiers.add(mac ? 'Ctrl' : 'Mod');
  if (event.metaKey) modifiers.add(mac ? 'Mod' : 'Meta');
  if (event.altKey) modifiers.add('Alt');
  if (event.shiftKey) modifiers.add('Shift');
  return modifiers;
}

function without(modifiers: ReadonlySet<string>, name: string): Set<string> {
  const remaining = new Set(modifiers);
  remaining.delete(name);
  return remaining;
}

const macSymbols: Readonly<Record<string, string>> = {
  Mod: '⌘',
  Ctrl: '⌃',
  Alt: '⌥',
  Shift: '⇧',
};
const keyLabels: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  ' ': 'Space',
};

/** Formats a key name for display: `Mod-Shift-p` → "Ctrl+Shift+P", or "⇧⌘P" on a Mac. */
export function formatKeys(keys: string, mac = isMac()): string {
  const parts = normalizeKeys(keys, mac).split(/-(?!$)/);
  const key = parts.pop() ?? '';
  const label = keyLabels[key] ?? (key.length === 1 ? key.toUpperCase() : key);
  if (mac)
    return [
      ...['Ctrl', 'Alt', 'Shift', 'Mod']
        .filter((each) => parts.includes(each))
        .map((each) => macSymbols[each] ?? each),
      label,
    ].join('');
  return [...parts.map((part) => (part === 'Mod' ? 'Ctrl' : part)), label].join('+');
}

/**
 * True for keys that type a character on many keyboard layouts, so that no command is bound to them:
 * Ctrl+Alt with a printable key, which is AltGr, or Option with one on a Mac.
 */
export function typesCharacter(keys: string, mac = isMac()): boolean {
  const pattern = mac ? /^Alt-(?:Shift-)?.$/u : /^Mod-Alt-(?:Shift-)?.$/u;
  return pattern.test(normalizeKeys(keys, mac));
}
