// A short click for a move. Nothing sounds before the person has touched the page.

let context: AudioContext | null = null;

export function tick(end: boolean): void {
  try {
    context ??= new AudioContext();
    const at = context.currentTime;
    const tone = context.createOscillator();
    const gain = context.createGain();
    tone.type = "triangle";
    tone.frequency.setValueAtTime(end ? 330 : 520, at);
    tone.frequency.exponentialRampToValueAtTime(end ? 660 : 260, at + 0.09);
    gain.gain.setValueAtTime(0.12, at);
    gain.gain.exponentialRampToValueAtTime(0.001, at + (end ? 0.4 : 0.12));
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.45);
  } catch {
    // Sound is never necessary.
  }
}
