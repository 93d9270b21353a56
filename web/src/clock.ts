// The time that the page shows: shared by the animation, the plots' cursors and the transport bar.

export interface Clock {
  readonly start: number;
  readonly end: number;
  readonly time: number;
  readonly playing: boolean;
  /** Seconds of the model in a second of the reader. */
  rate: number;
  loop: boolean;
  /** The time under the mouse in a plot; null without. */
  readonly hover: number | null;
  set(time: number): void;
  setHover(time: number | null): void;
  play(): void;
  pause(): void;
  toggle(): void;
  /** Called after a change of time, hover or playing. */
  subscribe(listener: () => void): void;
}

export function createClock(start: number, end: number): Clock {
  const listeners: (() => void)[] = [];
  let time = start;
  let hover: number | null = null;
  let playing = false;
  let last = 0;
  let pending = false;

  // listeners draw, so they are called once in a frame
  const changed = (): void => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      for (const listener of listeners) listener();
    });
  };

  const advance = (now: number): void => {
    if (!playing) return;
    const seconds = Math.min((now - last) / 1000, 0.1); // a page in the background must not jump
    last = now;
    let next = time + seconds * clock.rate;
    if (next >= end) {
      if (clock.loop && end > start) next = start + ((next - start) % (end - start));
      else {
        next = end;
        playing = false;
      }
    }
    time = next;
    changed();
    if (playing) requestAnimationFrame(advance);
  };

  const clock: Clock = {
    start,
    end,
    rate: 1,
    loop: true,
    get time() {
      return time;
    },
    get playing() {
      return playing;
    },
    get hover() {
      return hover;
    },
    set(value) {
      time = Math.min(end, Math.max(start, value));
      changed();
    },
    setHover(value) {
      hover = value;
      changed();
    },
    play() {
      if (playing) return;
      if (time >= end) time = start;
      playing = true;
      last = performance.now();
      requestAnimationFrame(advance);
      changed();
    },
    pause() {
      playing = false;
      changed();
    },
    toggle() {
      if (playing) clock.pause();
      else clock.play();
    },
    subscribe(listener) {
      listeners.push(listener);
    },
  };
  return clock;
}
