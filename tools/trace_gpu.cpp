// Records when each kernel and each copy of a CUDA program began and ended, on which device and stream: what
// tools/draw_timeline.py draws. A library that the CUDA driver loads into any program:
//
//   g++ -O2 -std=c++20 -shared -fPIC tools/trace_gpu.cpp -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcupti
//       -o trace_gpu.so
//   CUDA_INJECTION64_PATH=$PWD/trace_gpu.so GPU_TRACE=trace.tsv PROGRAM...
//
// trace.tsv has a line for each: device, stream, begin and end in ns of one clock for all devices, bytes (0: a kernel),
// name. CUPTI's activity records (CUDA toolkit, "CUPTI: Activity API").
#include <cupti.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

FILE* out = nullptr;

void write_line(unsigned device, unsigned stream, unsigned long long begin, unsigned long long end,
                unsigned long long bytes, const char* name) {
  std::fprintf(out, "%u\t%u\t%llu\t%llu\t%llu\t%s\n", device, stream, begin, end, bytes, name);
}

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* most_records) {
  *size = 8 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(64, *size));
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t filled) {
  for (CUpti_Activity* each = nullptr; cuptiActivityGetNextRecord(buffer, filled, &each) == CUPTI_SUCCESS;) {
    if (each->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(each);
      write_line(kernel->deviceId, kernel->streamId, kernel->start, kernel->end, 0, kernel->name);
    } else if (each->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(each);
      write_line(copy->deviceId, copy->streamId, copy->start, copy->end, copy->bytes, "copy");
    } else if (each->kind == CUPTI_ACTIVITY_KIND_MEMCPY2) {
      const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(each);
      write_line(copy->deviceId, copy->streamId, copy->start, copy->end, copy->bytes, "copy from another device");
    }
  }
  std::free(buffer);
}

void finish() {
  cuptiActivityFlushAll(1);
  std::fclose(out);
}

}  // namespace

extern "C" int InitializeInjection() {
  const char* const path = std::getenv("GPU_TRACE");
  out = std::fopen(path ? path : "trace.tsv", "w");
  if (!out) return 0;
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2})
    cuptiActivityEnable(kind);
  std::atexit(finish);
  return 1;
}
