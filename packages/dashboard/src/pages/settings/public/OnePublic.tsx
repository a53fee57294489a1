import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useOnce } from '../../../data/use-once.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Code } from '../../../parts/Code.tsx'
import { Facts } from '../../../parts/Facts.tsx'
import { Failure, Notice } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { Loaded } from '../Loaded.tsx'
import { copyPublic, type PublicKind, publicQuery } from './kinds.ts'

/** One public strategy with its code or prompt, and a way to copy it. */
export function OnePublic({ kind, id }: { kind: PublicKind; id: number }) {
  const strategy = useQuery(publicQuery(kind, id))
  return (
    <>
      <p>
        <Link to="/settings/$area" params={{ area: 'public' }} search={{ tab: kind }}>
          All of this kind
        </Link>
      </p>
      <Loaded query={strategy}>
        {({ name, user_id, symbol, updated_at, cron_interval, timezone, text }) => (
          <Section title={<Foreign text={name || `Strategy ${id}`} />} actions={<Copy kind={kind} id={id} />}>
            <Facts
              facts={[
                ['By', `user ${user_id}`],
                ['Symbols', <Foreign key="symbols" text={symbol ?? '–'} />],
                ...(cron_interval
                  ? [['Runs', <Foreign key="runs" text={`${cron_interval} ${timezone ?? ''}`} />] as const]
                  : []),
                ['Changed', <Time key="changed" at={updated_at} />],
              ]}
            />
            <Code name={kind === 'ai' ? 'prompt' : 'code'} text={text} />
          </Section>
        )}
      </Loaded>
    </>
  )
}

function Copy({ kind, id }: { kind: PublicKind; id: number }) {
  const queries = useQueryClient()
  const {
    run,
    isBusy,
    error,
    answer: copy,
  } = useOnce(
    () => copyPublic(kind, id),
    () => queries.invalidateQueries({ queryKey: ['strategies'] }),
  )
  return (
    <>
      {error !== null && <Failure error={error} isChange />}
      <div aria-live="polite">
        {copy !== undefined && (
          <Notice>
            <Foreign text={copy.name} /> is yours now. It is off until you switch it on.
          </Notice>
        )}
      </div>
      <Button
        look="primary"
        isBusy={isBusy}
        unavailable={copy === undefined ? null : 'You have just copied it.'}
        onClick={run}
      >
        Copy it
      </Button>
    </>
  )
}
