# SPDX-License-Identifier: GPL-2.0-only
# made_traces N [SEED] - prints lines as DFTracer writes them: four threads, 2000 files, lines of 200 to 230 bytes
made_traces() {
	awk -v n="$1" -v seed="${2-7}" 'BEGIN {
		split("read write open64 close lseek64 NPZReader.read_index TorchDataLoader.next compute", name, " ")
		split("POSIX POSIX POSIX POSIX POSIX reader data_loader ai_framework", cat, " ")
		srand(seed)
		print "["
		t = 1698352095942658
		for (i = 0; i < n; i++) {
			k = (i * 7 + int(i / 8)) % 8 + 1
			f = int(i / 16) % 2000
			t += 1 + int(rand() * 29)
			printf "{\"id\":\"%d\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":\"%d\",\"tid\":\"%d\",\"ts\":\"%.0f\",\"dur\":\"%d\",\"ph\":\"X\",\"args\":{\"hostname\":\"corona%d\",",
				i, name[k], cat[k], 1000 + i % 4, 10000 + i % 4, t, 1 + int(rand() * 400), i % 4
			if (k <= 5)
				printf "\"ret\":\"%d\",\"fname\":\"/p/lustre1/user/dlio/data/train/file_%d_%d.npz\",\"fd\":%d,\"offset\":\"%d\"}}\n",
					i % 64 * 4096, f % 40, f, 20 + i % 10, i % 64 * 65536
			else
				printf "\"epoch\":%d,\"step\":%d}}\n", i / 100000, i / 100
		}
		print "]"
	}'
}
