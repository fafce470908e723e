"""What has to survive a crash, in SQLite. Each write ends once it is on disk; concurrent ones share a transaction."""
import asyncio
import json
import sqlite3

BATCH = 1000
DECLARE = '''INSERT INTO objects (key, uid, generation, hash, spec) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
  SET uid = excluded.uid, generation = excluded.generation, hash = excluded.hash, spec = excluded.spec'''


class Store:
    def __init__(self, file):
        self.db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self.db.executescript('''PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE IF NOT EXISTS objects (key TEXT PRIMARY KEY, uid TEXT, generation INTEGER, hash TEXT, spec TEXT,
              intent TEXT NOT NULL DEFAULT '', status TEXT NOT NULL DEFAULT '{}') STRICT;''')
        self.waiting = []
        self.writer = None

    def load(self):
        rows = self.db.execute('SELECT key, generation, hash, intent, status FROM objects')
        return {key: (generation, digest, intent, json.loads(status)) for key, generation, digest, intent, status in rows}

    async def declare(self, key, uid, generation, digest, spec):
        await self.write(DECLARE, key, uid, generation, digest, json.dumps(spec))

    async def intend(self, key, intent):
        await self.write('UPDATE objects SET intent = ? WHERE key = ?', intent, key)

    async def remember(self, key, status):
        await self.write('UPDATE objects SET status = ? WHERE key = ?', json.dumps(status), key)

    async def write(self, sql, *values):
        done = asyncio.get_running_loop().create_future()
        self.waiting.append((sql, values, done))
        if self.writer is None:
            self.writer = asyncio.create_task(self.write_all())
        await done

    async def write_all(self):
        while self.waiting:
            await asyncio.sleep(0.005)  # as Holdfast's
            batch, self.waiting = self.waiting[:BATCH], self.waiting[BATCH:]
            try:
                await asyncio.to_thread(self.commit, batch)
                for _, _, done in batch:
                    done.set_result(None)
            except sqlite3.Error as error:
                for _, _, done in batch:
                    done.set_exception(error)
        self.writer = None

    def commit(self, batch):
        self.db.execute('BEGIN')
        for sql, values, _ in batch:
            self.db.execute(sql, values)
        self.db.execute('COMMIT')

    async def close(self):
        if self.writer:
            await self.writer
        self.db.close()
