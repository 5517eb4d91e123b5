// Every sound is made of an oscillator or of noise, and a gain that fades it out.
// when: the time to sound at, in seconds of the audio clock.

function fade(audio, when, level, length) {
  const gain = audio.createGain();
  gain.gain.setValueAtTime(level, when);
  gain.gain.exponentialRampToValueAtTime(0.001, when + length);
  gain.connect(audio.destination);
  return gain;
}

function tone(audio, when, { type, from, to = from, level, length }) {
  const oscillator = audio.createOscillator();
  oscillator.type = type;
  oscillator.frequency.setValueAtTime(from, when);
  oscillator.frequency.exponentialRampToValueAtTime(to, when + length);
  oscillator.connect(fade(audio, when, level, length));
  oscillator.start(when);
  oscillator.stop(when + length);
}

function noise(audio, when, { above, level, length }) {
  const buffer = audio.createBuffer(1, audio.sampleRate * length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let n = 0; n < samples.length; n++) samples[n] = Math.random() * 2 - 1;
  const source = new AudioBufferSourceNode(audio, { buffer });
  const filter = new BiquadFilterNode(audio, { type: 'highpass', frequency: above });
  source.connect(filter).connect(fade(audio, when, level, length));
  source.start(when);
}

const bell = (frequency) => (audio, when) =>
  tone(audio, when, { type: 'triangle', from: frequency, level: 0.25, length: 0.5 });

export const sounds = {
  kick: (audio, when) =>
    tone(audio, when, { type: 'sine', from: 150, to: 40, level: 0.9, length: 0.3 }),
  snare: (audio, when) => noise(audio, when, { above: 1200, level: 0.4, length: 0.18 }),
  hat: (audio, when) => noise(audio, when, { above: 7000, level: 0.2, length: 0.06 }),
  high: bell(659.3),
  mid: bell(523.3),
  low: bell(220),
};
