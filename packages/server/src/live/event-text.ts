/**
 * The text of server-sent events. JSON has no line ends outside its strings, and escapes those inside. An `id` line makes
 * the client resume after the event that follows it; without an event, it only moves the id forward.
 */

/** The first text of a stream: how long a browser waits before it connects again, and where it resumes from. */
export function openingText(id: string): string {
  return `retry: 1000\n${idLine(id)}\n`
}

/** The beginning of an event. */
export function idLine(id: string): string {
  return `id: ${id}\n`
}

export function eventText(kind: string, data: object): string {
  return `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
}

/** A comment, which readers skip. */
export function heartbeatText(id: string): string {
  return `: heartbeat\n${idLine(id)}\n`
}
