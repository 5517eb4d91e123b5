/*
 * Guesses the encoding of file names in a zip that doesn't say it. Windows writes them in the code page of
 * its language: 932 in Japan, 936 in China, 866 in Russia, 437 or 850 in the West. A few short names are
 * too little for statistics of a language, so each decoding is scored by what names are made of: common
 * characters of one script, and words in one alphabet and letter case. The user sees the names and can
 * choose another encoding.
 */

/** Labels of encodings by value: those that `TextDecoder` takes, and `cp437`. */
export const nameEncodings = [
  { value: 'cp437', label: 'Western (CP437)' },
  { value: 'windows-1252', label: 'Western (Windows-1252)' },
  { value: 'windows-1250', label: 'Central European (Windows-1250)' },
  { value: 'shift_jis', label: 'Japanese (Shift_JIS)' },
  { value: 'euc-jp', label: 'Japanese (EUC-JP)' },
  { value: 'gbk', label: 'Simplified Chinese (GBK)' },
  { value: 'big5', label: 'Traditional Chinese (Big5)' },
  { value: 'euc-kr', label: 'Korean (EUC-KR)' },
  { value: 'ibm866', label: 'Cyrillic (CP866)' },
  { value: 'windows-1251', label: 'Cyrillic (Windows-1251)' },
] as const;

export type NameEncoding = (typeof nameEncodings)[number]['value'];

/** A file name that isn't UTF-8. */
export interface EncodedName {
  readonly bytes: Uint8Array;
  /** The name in code page 437, which `TextDecoder` doesn't have. */
  readonly cp437: string;
}

/**
 * Guesses the encoding of names.
 *
 * @param language The user's, such as "ja-JP". Decides between decodings that are equally likely.
 */
export function guessNameEncoding(names: readonly EncodedName[], language: string): NameEncoding {
  const scores = nameEncodings.map(({ value }) => {
    const bonus = languages.get(value)?.test(language) ? 0.2 : 0;
    return { value, score: scoreNames(value, names) + bonus };
  });
  return scores.reduce((best, each) => (each.score > best.score ? each : best)).value;
}

export function decodeName({ bytes, cp437 }: EncodedName, encoding: NameEncoding): string {
  return encoding === 'cp437' ? cp437 : new TextDecoder(encoding).decode(bytes);
}

const languages: ReadonlyMap<NameEncoding, RegExp> = new Map([
  ['windows-1250', /^(?:pl|cs|sk|hu|sl|hr|ro)\b/],
  ['shift_jis', /^ja\b/],
  ['gbk', /^zh(?:-(?:CN|SG|Hans))?$/i],
  ['big5', /^zh-(?:TW|HK|Hant)/i],
  ['euc-kr', /^ko\b/],
  ['ibm866', /^(?:ru|uk|be|bg)\b/],
  ['windows-1251', /^(?:ru|uk|be|bg|sr|mk)\b/],
]);

/**
 * Score of a two-byte character by its first byte, from the tables' own order: the common characters are in
 * the first part, by reading; the rare ones behind, by radical.
 */
function scorePair(encoding: NameEncoding, first: number, second: number): number {
  const isBetween = (low: number, high: number) => first >= low && first <= high;
  switch (encoding) {
    case 'shift_jis':
      if (first === 0x82 || first === 0x83) return 1;
      if (isBetween(0x88, 0x97)) return 0.9;
      return isBetween(0x98, 0xea) ? 0.3 : first === 0x81 ? 0.2 : 0;
    case 'euc-jp':
      if (first === 0xa4 || first === 0xa5) return 1;
      return isBetween(0xb0, 0xcf) ? 0.7 : isBetween(0xd0, 0xf4) ? 0.2 : 0;
    case 'gbk':
      if (second < 0xa1) return 0.05;
      return isBetween(0xb0, 0xd7) ? 0.9 : isBetween(0xd8, 0xf7) ? 0.3 : 0.1;
    case 'big5':
      return isBetween(0xa4, 0xc6) ? 0.85 : isBetween(0xc9, 0xf9) ? 0.2 : 0;
    case 'euc-kr':
      if (second < 0xa1) return 0.05;
      return isBetween(0xb0, 0xc8) ? 0.95 : isBetween(0xca, 0xfd) ? 0.2 : 0;
    default:
      return 0;
  }
}

const pairEncodings: ReadonlySet<NameEncoding> = new Set([
  'shift_jis',
  'euc-jp',
  'gbk',
  'big5',
  'euc-kr',
]);

/** From 0, impossible, to 1: the average of all that isn't ASCII, by bytes. */
function scoreNames(encoding: NameEncoding, names: readonly EncodedName[]): number {
  let sum = 0;
  let count = 0;
  for (const name of names) {
    const text = decodeName(name, encoding);
    if (text.includes('\uFFFD')) return -1;
    const score = pairEncodings.has(encoding) ? scorePairs(encoding, name.bytes) : scoreWords(text);
    sum += score.sum;
    count += score.count;
  }
  return count === 0 ? 0 : sum / count;
}

function scorePairs(encoding: NameEncoding, name: Uint8Array) {
  let [sum, count] = [0, 0];
  for (let at = 0; at < name.length; at += 1) {
    const [first = 0, second = 0] = name.subarray(at, at + 2);
    if (first < 0x80) continue;
    // A half-width katakana, of one byte.
    const isSingle = encoding === 'shift_jis' && first >= 0xa0 && first <= 0xdf;
    if (!isSingle) at += 1;
    sum += isSingle ? 0.1 : 2 * scorePair(encoding, first, second);
    count += isSingle ? 1 : 2;
  }
  return { sum, count };
}

/** "über", "Привет" → 1 for each letter; "Йцвь", "Θlan" and "│" → 0 */
function scoreWords(text: string) {
  let [sum, count] = [0, 0];
  for (const [word] of text.matchAll(/[\p{L}\p{M}]+|[^\p{L}\p{M}]/gu)) {
    const others = [...word].filter((character) => character > '\u007F').length;
    count += others;
    const isLatin = /^\p{Script=Latin}+$/u.test(word);
    const isCyrillic = /^[\u0400-\u045F]+$/.test(word);
    const hasOneCase = /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+)$/u.test(word);
    if (!hasOneCase || !(isLatin || isCyrillic)) continue;
    // In words of languages with Latin letters, most are ASCII.
    const isLikely = isCyrillic ? others > 1 : others <= word.length / 2;
    sum += others * (isLikely ? 0.9 : 0.4);
  }
  return { sum, count };
}
