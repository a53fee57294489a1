import { indentJson } from '../../base/json-text.ts'
import { Code } from '../../parts/Code.tsx'
import { Section } from '../../parts/Page.tsx'

/** What came in with a post: its payload and its headers. */
export function Received({ body, headers }: { body: string | null; headers: Record<string, string> }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      <Section title="Payload">
        <Code text={indentJson(body ?? '')} name="Payload" />
      </Section>
      <Section title="Headers">
        <Code text={lines.join('\n')} name="Headers" />
      </Section>
    </>
  )
}
