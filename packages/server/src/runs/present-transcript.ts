import type { TranscriptEntry } from '../ai/transcript.ts'

/** A transcript as the API shows it: with its picture, as Base64, in the entry of the chart. */
export function presentTranscript(transcript: readonly TranscriptEntry[], picture: Buffer | null) {
  return transcript.map((entry) =>
    entry.type === 'chart'
      ? { ...entry, picture: entry.picture ? (picture?.toString('base64') ?? null) : null }
      : entry,
  )
}
