import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { meQuery } from '../../../data/queries.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Empty } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Table, type TableColumn } from '../../../parts/Table.tsx'
import { Tabs } from '../../../parts/Tabs.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { useAddress } from '../address.ts'
import { Found } from '../Found.tsx'
import { Loaded } from '../Loaded.tsx'
import { mostShown } from '../lists.ts'
import styles from '../settings.module.css'
import { type PublicItem, type PublicKind, publicKinds, publicListQuery } from './kinds.ts'
import { OnePublic } from './OnePublic.tsx'

/** The strategies that users of this installation have published. */
export function Public() {
  const [{ tab, id }, go] = useAddress('public')
  const chosen = publicKinds.find((kind) => kind.id === tab)?.id ?? 'code'
  return (
    <Section title="Public strategies">
      <p className={styles.why}>
        Every user of this installation can read and copy these. A copy is yours: it stays when the original
        changes. To publish one of your own, set its visibility to public.
      </p>
      <Tabs
        label="Kinds"
        chosen={chosen}
        onChoose={(tab) => go({ tab })}
        tabs={publicKinds.map((kind) => ({
          id: kind.id,
          name: kind.name,
          content: id === undefined ? <List kind={kind.id} /> : <OnePublic key={id} kind={kind.id} id={id} />,
        }))}
      />
    </Section>
  )
}

function List({ kind }: { kind: PublicKind }) {
  const strategies = useQuery(publicListQuery(kind))
  const { data: me } = useSuspenseQuery(meQuery)
  const columns: TableColumn<PublicItem>[] = [
    {
      name: 'Name',
      cell: ({ id, name }) => (
        <Link to="/settings/$area" params={{ area: 'public' }} search={{ tab: kind, id }}>
          <Foreign text={name || `Strategy ${id}`} />
        </Link>
      ),
    },
    { name: 'By', cell: ({ user_id }) => (user_id === me.id ? 'you' : `user ${user_id}`) },
    { name: 'Symbols', isWide: true, cell: ({ symbol }) => <Foreign text={symbol ?? '–'} /> },
    { name: 'Changed', isNumber: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  ]
  return (
    <Loaded query={strategies}>
      {(items) =>
        items.length === 0 ? (
          <Empty title="Nobody has published one yet">What a user publishes appears here for all.</Empty>
        ) : (
          <>
            <Found
              area="public"
              label="Name or symbol"
              items={items}
              textsOf={({ name, symbol }) => [name, symbol]}
            >
              {(found) => (
                <Table label="Public strategies" columns={columns} items={found} idOf={({ id }) => id} />
              )}
            </Found>
            {items.length === mostShown && <p>Only {mostShown} are shown here. The API has all of them.</p>}
          </>
        )
      }
    </Loaded>
  )
}
